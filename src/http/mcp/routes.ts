import type { Route, ServerParts } from '../route.ts'

/** MCP over streamable HTTP, at `/mcp`. */
export function mcpRoutes(_parts: ServerParts): Route[] {
  return []
}
