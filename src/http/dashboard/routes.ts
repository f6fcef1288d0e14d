import type { Route, ServerParts } from '../route.ts'
import { agentPageRoutes } from './agents/agent-page.tsx'
import { agentListRoutes } from './agents/list-page.tsx'
import { assetRoutes } from './assets.ts'
import { cooldownRoutes } from './cooldowns-page.tsx'
import { demoRoutes } from './demo/routes.ts'
import { eventRoutes } from './events-page.tsx'
import { liveRoutes } from './live.ts'
import { memoryRoutes } from './memories/routes.tsx'
import { overviewRoutes } from './overview/routes.tsx'
import { reviewRoutes } from './review-page.tsx'
import { searchRoutes } from './search/search-page.tsx'
import { sessionListRoutes } from './sessions/list-page.tsx'
import { sessionPageRoutes } from './sessions/session-page.tsx'
import { signInPageRoutes } from './sign-in-page.tsx'

/** The pages. */
export function dashboardRoutes(parts: ServerParts): Route[] {
  return [
    ...overviewRoutes(parts),
    ...memoryRoutes(parts),
    ...sessionListRoutes(parts),
    ...sessionPageRoutes(parts),
    ...eventRoutes(parts),
    ...searchRoutes(parts),
    ...reviewRoutes(parts),
    ...agentListRoutes(parts),
    ...agentPageRoutes(parts),
    ...cooldownRoutes(parts),
    ...demoRoutes(parts),
    ...liveRoutes(parts),
    ...signInPageRoutes(),
    ...assetRoutes(),
  ]
}
