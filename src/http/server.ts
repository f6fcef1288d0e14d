import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { MemoryError } from '../model/errors.ts'
import { packageVersion } from '../package/package-version.ts'
import { accessFor } from './access.ts'
import { logRequest } from './access-log.ts'
import { renderNowhere } from './dashboard/failure-page.tsx'
import { dashboardRoutes } from './dashboard/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { createDoorkeeper } from './doorkeeper.ts'
import { engineRoutes } from './engine/routes.ts'
import { answerError, HttpError } from './errors.ts'
import { type Guards, guardRoute } from './guard-route.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { measureServer } from './measure.ts'
import { probeRoutes } from './probes.ts'
import { DEFAULT_RATE, type RateLimit, rateLimiter } from './rate-limit.ts'
import { restRoutes } from './rest/routes.ts'
import type { Env, Route, ServerParts } from './route.ts'
import { hostCheck, SECURITY_HEADERS } from './security.ts'
import { signInRoutes } from './sign-in.ts'
import { createSso, type SsoOptions } from './sso.ts'

export interface ServerOptions extends Omit<ServerParts, 'memory' | 'stopping'> {
  host: string
  /** Host names allowed besides its address. */
  names?: readonly string[]
  /** false: a request without a token reads and adds, as an agent does. For a server that only this machine can reach. */
  requireToken: boolean
  /** The key of this machine's operator, if tokens are not required. A stored key keeps sign-ins valid across restarts. Default: a new one. */
  operatorKey?: string
  /** People whom a proxy has signed in. Default: none. */
  sso?: SsoOptions
  /** For each token; null: none. */
  rate?: RateLimit | null
}

export interface MemoryServer {
  app: Hono<Env>
  routes: readonly Route[]
  /** The path of a link that signs this machine's operator in, once. */
  mintLink(): string
  /** Announces that it is about to stop: ends streams. */
  stop(): void
  close(): Promise<void>
}

/** The routes over an engine, without a port. */
export function createServer(memory: ServerParts['memory'], options: ServerOptions): MemoryServer {
  const {
    log,
    requireToken,
    operatorKey = randomBytes(32).toString('hex'),
    host,
    names = [],
    rate = DEFAULT_RATE,
    sso,
  } = options
  const stopping = new AbortController()
  const { operatorKeyFile: _, ...rest } = options
  const parts: ServerParts = { ...(requireToken ? rest : options), memory, stopping: stopping.signal }
  const door = createDoorkeeper({ memory, log, requireToken, operatorKey, sso: sso ? createSso(sso) : null })
  const api = [...restRoutes(parts), ...engineRoutes(parts), ...probeRoutes(parts)]
  const routes = [
    ...api,
    ...docsRoutes(api, packageVersion(), memory.capabilities.maxContentLength),
    ...signInRoutes(door),
    ...mcpRoutes(parts),
    ...dashboardRoutes(parts),
  ]
  const app = new Hono<Env>()
  const mayCall = hostCheck(host, names)

  app.use(measureServer(parts))
  app.use(logRequest(log))
  app.use((context, next) => {
    // Set before the answer is made, so that it is made once; a route may set its own.
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value)
    return next()
  })
  app.use(async (context, next) => {
    if (!mayCall(context.req.header('host'))) {
      throw new HttpError(403, 'The server does not answer to this name. --allow-host NAME adds it.')
    }
    await next()
  })
  mount(app, routes, { door, accessOf: accessFor(memory), count: rateLimiter(rate) })
  app.notFound(
    (context) =>
      renderNowhere(context, parts) ?? answerError(context, new HttpError(404, 'No route has this address.')),
  )
  app.onError((error, context) => {
    if (MemoryError.is(error)) {
      if (error.code === 'PROVIDER_ERROR') log.warn({ code: error.code, error: error.message }, 'a request failed')
      return answerError(context, error)
    }
    // A client that disconnects early is not our failure: 499, as proxies log it.
    if (context.req.raw.signal.aborted) return new Response(null, { status: 499 })
    log.error({ error: error.message, path: context.req.path }, 'a request failed unexpectedly')
    return answerError(context, new HttpError(500, 'The request failed unexpectedly; the log says why.'))
  })
  const mintLink = () => `/login/${door.mintCode()}`
  return { app, routes, mintLink, stop: () => stopping.abort(), close: () => door.close() }
}

/** Puts every route behind its guard, and answers 405 if only the method is wrong. */
function mount(app: Hono<Env>, routes: readonly Route[], guards: Guards): void {
  for (const route of routes) app.on(route.method, route.path, guardRoute(route, guards), route.handle)
  for (const path of new Set(routes.map((route) => route.path))) {
    const allow = routes.filter((route) => route.path === path).map(({ method }) => method)
    app.all(path, ({ req }) => {
      const message = `${req.method} is not allowed here. Use ${allow.join(' or ')}.`
      throw new HttpError(405, message, { allow }, { allow: allow.join(', ') })
    })
  }
}
