import { Hono } from 'hono'
import type { Nokosu } from '../engine/nokosu.ts'
import { ERROR_CODES, MemoryError } from '../model/errors.ts'
import type { Logger } from '../observe/log.ts'
import { namesLoopback } from './loopback.ts'
import type { MetricsRegistry } from './metrics-registry.ts'
import { renderOverview } from './overview-page.ts'
import { ICON, STYLE } from './style.ts'

export interface AppOptions {
  engine: Nokosu
  metrics: MetricsRegistry
  log: Logger
  /** The store's path or address, for people. */
  store: string
  /** The command line that reaches this store, such as `nokosu --db PATH`. */
  command: string
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The routes, without a server. */
export function createApp({ engine, metrics, log, store, command }: AppOptions): Hono {
  const app = new Hono()

  app.use(async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value)
  })
  app.use(async (context, next) => {
    if (!namesLoopback(context.req.header('host'))) return context.text('This server answers to localhost only.\n', 403)
    await next()
  })

  app.get('/', async (context) => {
    const [health, stats, newest, held] = await Promise.all([
      engine.healthCheck(),
      engine.stats(),
      // The page is for the operator of this machine, who may see everything.
      engine.list({ everything: true, limit: 8, includeInactive: true }),
      engine.list({ everything: true, limit: 1, includeInactive: true, trust: ['quarantined'] }),
    ])
    return context.html(
      renderOverview({
        health,
        stats,
        model: engine.embedding.name,
        newest: newest.memories,
        held: held.totalCount,
        store,
        command,
        now: new Date(),
      }),
    )
  })
  app.get('/style.css', (context) => context.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.get('/icon.svg', (context) => context.body(ICON, 200, { 'content-type': 'image/svg+xml' }))

  app.get('/healthz', async (context) => {
    const health = await engine.healthCheck()
    return context.json(health, health.status === 'unhealthy' ? 503 : 200)
  })
  app.get('/readyz', async (context) => {
    const { status } = await engine.healthCheck()
    return context.json({ ready: status !== 'unhealthy' }, status === 'unhealthy' ? 503 : 200)
  })
  app.get('/metrics', async (context) =>
    context.body(await metrics.collect(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )

  app.notFound((context) => context.text('There is nothing here. Start at /\n', 404))
  app.onError((error, context) => {
    if (MemoryError.is(error)) return context.json({ error: error.toJSON() }, ERROR_CODES[error.code].status)
    log.error({ error: error.message, path: context.req.path }, 'a request failed unexpectedly')
    const failure = new MemoryError('PROVIDER_ERROR', 'The request failed unexpectedly; the log says why.', {
      retryable: false,
    })
    return context.json({ error: failure.toJSON() }, 500)
  })
  return app
}
