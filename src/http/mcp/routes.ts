import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server'
import { createMcpServer } from '../../mcp/create-mcp-server.ts'
import { Hooks } from '../../mcp/hooks.ts'
import { type Identifiers, LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import type { Access } from '../access.ts'
import type { Route, ServerParts } from '../route.ts'

/**
 * MCP over streamable HTTP, at `/mcp`. Each request is independent, so any number of servers may share the clients. The
 * client's identity comes from its token, and within that from the URL: `/mcp?project=shop&agent=nori`.
 */
export function mcpRoutes({ log, project, stopping }: ServerParts): Route[] {
  const onProblem = ({ message }: Error) => log.warn({ error: message }, 'a hook call failed')
  // The plugin's own server, which knows its settings, records a session's tool calls.
  const hooks = new Hooks({ lessons: false, onProblem })
  const { fetch, close } = createMcpHandler((request) => serverFor(request, project, hooks), {
    onerror: (error) => log.warn({ error: error.message }, 'MCP request error'),
  })
  // A client may keep a stream open for change notifications.
  stopping.addEventListener('abort', () => void close(), { once: true })
  return [
    {
      method: 'POST',
      path: '/mcp',
      needs: 'read',
      summary: 'The memory for MCP clients. Tools that change something need a token of scope write.',
      handle(context) {
        const access = context.get('access')
        const { name, scope } = access.caller
        return fetch(context.req.raw, { authInfo: { token: '', clientId: name, scopes: [scope], extra: { access } } })
      },
    },
  ]
}

function serverFor({ authInfo, requestInfo }: McpRequestContext, project: string | null, hooks: Hooks) {
  const { access } = authInfo!.extra as { access: Access }
  // Without a token the client is on this machine, and means the server's own project.
  const around = ['key', 'nothing'].includes(access.caller.via) && project !== null ? { projectId: project } : {}
  // The URL takes precedence: if the token does not allow it, the call is refused rather than answered for another scope.
  const identifiers = { ...around, ...access.caller.identifiers, ...readQuery(new URL(requestInfo!.url)) }
  const { agentId, sessionId, taskId } = identifiers
  const isNamed = agentId !== undefined || sessionId !== undefined || taskId !== undefined
  // With an agent's name, the client is an agent.
  const isOperator = access.may('admin') && !isNamed
  return createMcpServer({
    identifiers,
    as: (who) => (isOperator ? access.memory({ identifiers: who }) : access.agent(who)),
    mayDecide: isOperator,
    mayWrite: access.may('write'),
    mayRecord: access.may('write'),
    hooks,
  })
}

/** `project=shop` is `projectId`: layers are named as on the command line. */
function readQuery({ searchParams }: URL): Identifiers {
  return Object.fromEntries(
    LAYERS.flatMap((layer) => {
      const value = searchParams.get(layer)
      return value === null || value === '' ? [] : [[REQUIRED_IDENTIFIER[layer], value]]
    }),
  )
}
