import type { Route, ServerParts } from '../route.ts'
import { agentMemoryRoutes } from './agent-memories.ts'
import { auditRoutes } from './audit.ts'
import { bulkMemoryRoutes } from './bulk-memories.ts'
import { callerRoutes } from './caller.ts'
import { decisionRoutes } from './decisions.ts'
import { directoryRoutes } from './directory.ts'
import { memoryRoutes } from './memories.ts'
import { memoryByIdRoutes } from './memory-by-id.ts'
import { operatorMemoryRoutes } from './operator-memories.ts'
import { personalityRoutes } from './personalities.ts'
import { runRoutes } from './runs.ts'

export function restRoutes(parts: ServerParts): Route[] {
  return [
    ...memoryRoutes,
    ...bulkMemoryRoutes,
    ...memoryByIdRoutes,
    ...decisionRoutes,
    ...agentMemoryRoutes,
    ...personalityRoutes(parts),
    ...operatorMemoryRoutes(parts),
    ...runRoutes,
    ...directoryRoutes(parts),
    ...callerRoutes,
    ...auditRoutes(parts),
  ]
}
