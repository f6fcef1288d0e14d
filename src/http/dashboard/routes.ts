import type { Route, ServerParts } from '../route.ts'
import { agentPages } from './agents/agent-page.tsx'
import { agentListPages } from './agents/list-page.tsx'
import { assetRoutes } from './assets.ts'
import { cooldownPage } from './cooldowns-page.tsx'
import { demoPages } from './demo/pages.ts'
import { eventPage } from './events-page.tsx'
import { fleetPage } from './fleet/fleet-page.tsx'
import { livePage } from './live.ts'
import { bulkPages } from './memories/bulk-pages.ts'
import { decisionPages } from './memories/decisions.tsx'
import { memoryPage } from './memories/memory-page.tsx'
import { memoryPages } from './memories/pages.tsx'
import { overviewPage } from './overview/overview-page.tsx'
import { pageRoutes } from './pages.ts'
import { reviewPages } from './review-page.tsx'
import { searchPage } from './search/search-page.tsx'
import { sessionListPage } from './sessions/list-page.tsx'
import { sessionPage } from './sessions/session-page.tsx'
import { signInPageRoutes } from './sign-in-page.tsx'

/** Everything that browsers load. A path with fixed names comes before one that would take them for ids. */
export function dashboardRoutes(parts: ServerParts): Route[] {
  return [
    ...pageRoutes(parts, [
      overviewPage,
      ...bulkPages,
      ...memoryPages,
      ...decisionPages,
      memoryPage,
      sessionListPage,
      sessionPage,
      eventPage,
      searchPage,
      ...reviewPages,
      ...agentListPages,
      ...agentPages,
      fleetPage,
      cooldownPage,
      ...demoPages,
      livePage(parts),
    ]),
    ...signInPageRoutes(parts),
    ...assetRoutes,
  ]
}
