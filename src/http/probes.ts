import type { Route, ServerParts } from './route.ts'

/** For programs that watch the server. */
export function probeRoutes({ memory, metrics }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      needs: 'open',
      summary: 'Whether the process lives. It does not ask the store.',
      handle: (context) => context.json({ status: 'alive', uptimeSeconds: Math.round(process.uptime()) }),
    },
    {
      method: 'GET',
      path: '/readyz',
      needs: 'open',
      summary: 'Whether the store answers.',
      async handle(context) {
        const health = await memory.healthCheck()
        return context.json(health, health.status === 'unhealthy' ? 503 : 200)
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      needs: 'read',
      summary: 'Measurements in the text format of Prometheus.',
      handle: async (context) =>
        context.body(await metrics.collect(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    },
  ]
}
