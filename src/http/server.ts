import { Hono } from 'hono'
import { MemoryError } from '../model/errors.ts'
import { accessFor } from './caller.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { createDoorkeeper, type Doorkeeper } from './doorkeeper.ts'
import { answerError, HttpError } from './errors.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { probeRoutes } from './probes.ts'
import type { Env, Route, ServerParts } from './route.ts'
import { hostCheck, SECURITY_HEADERS } from './security.ts'
import { signInRoutes } from './sign-in.ts'

export interface ServerOptions extends Omit<ServerParts, 'memory'> {
  /** The address that it listens on. */
  host: string
  /** Names by which it may be called besides its address. */
  names?: readonly string[]
  /** false: whoever sends no token is an operator. For a server that only this machine reaches. */
  requireToken: boolean
}

export interface MemoryServer {
  app: Hono<Env>
  /** Everything that it answers. */
  routes: readonly Route[]
  close(): Promise<void>
}

/** The routes over an engine, without a port. */
export function createServer(memory: ServerParts['memory'], options: ServerOptions): MemoryServer {
  const { log } = options
  const parts: ServerParts = { ...options, memory }
  const doorkeeper = createDoorkeeper({ memory, log, requireToken: options.requireToken })
  const mayCall = hostCheck(options.host, options.names ?? [])
  const routes = [...probeRoutes(parts), ...signInRoutes(doorkeeper), ...mcpRoutes(parts), ...dashboardRoutes(parts)]
  const app = new Hono<Env>()

  app.use(async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value)
    }
  })
  app.use(async (context, next) => {
    if (!mayCall(context.req.header('host'))) {
      throw new HttpError(403, 'UNAUTHORIZED', 'The server does not answer to this name. --allow-host NAME adds it.')
    }
    await next()
  })
  mount(app, routes, doorkeeper, accessFor(memory))
  app.notFound((context) => answerError(context, new HttpError(404, 'UNSUPPORTED', 'There is nothing here.')))
  app.onError((error, context) => {
    if (MemoryError.is(error)) return answerError(context, error)
    log.error({ error: error.message, path: context.req.path }, 'a request failed unexpectedly')
    return answerError(
      context,
      new HttpError(500, 'PROVIDER_ERROR', 'The request failed unexpectedly; the log says why.', { retryable: false }),
    )
  })
  return { app, routes, close: () => doorkeeper.close() }
}

/** Puts every route behind what it needs, and says 405 where only the method is wrong. */
function mount(
  app: Hono<Env>,
  routes: readonly Route[],
  door: Doorkeeper,
  accessOf: ReturnType<typeof accessFor>,
): void {
  for (const { method, path, needs, handle } of routes) {
    app.on(method, path, async (context) => {
      const caller = await door.identify(context)
      if (caller) context.set('access', accessOf(caller))
      if (needs !== 'open') {
        if (!caller) throw tokenNeeded()
        if (!context.get('access').may(needs)) throw scopeNeeded(needs, caller.scope)
      }
      await door.requireOwnPage(context, needs === 'open' ? null : caller)
      return handle(context)
    })
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allow = routes.filter((route) => route.path === path).map(({ method }) => method)
    app.all(path, ({ req }) => {
      throw new HttpError(405, 'UNSUPPORTED', `${req.method} is not possible here; ${allow.join(', ')} is.`, {
        headers: { allow: allow.join(', ') },
        details: { allow },
      })
    })
  }
}

function tokenNeeded(): HttpError {
  return new HttpError(401, 'UNAUTHORIZED', 'This server needs a token: send the header Authorization: Bearer TOKEN.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function scopeNeeded(needed: string, scope: string): HttpError {
  return new HttpError(403, 'UNAUTHORIZED', `This needs a token of scope ${needed}; this one has ${scope}.`, {
    details: { scope: needed },
  })
}
