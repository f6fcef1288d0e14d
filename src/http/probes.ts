import { z } from 'zod'
import { healthSchema } from '../model/provider.ts'
import type { Route, ServerParts } from './route.ts'

const tag = 'Watching'
const aliveSchema = z.strictObject({ status: z.literal('alive'), uptimeSeconds: z.int() })

export function probeRoutes({ memory, metrics, stopping, store }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      needs: 'open',
      summary: 'Whether the process runs, without asking the store',
      api: { operation: 'isAlive', tag, answers: { 200: { description: 'Yes', schema: aliveSchema } } },
      handle: (context) => context.json({ status: 'alive', uptimeSeconds: Math.round(process.uptime()) }),
    },
    {
      method: 'GET',
      path: '/readyz',
      needs: 'open',
      summary: 'Whether the store answers and the server is not shutting down',
      api: {
        operation: 'isReady',
        tag,
        answers: {
          200: { description: 'Yes', schema: healthSchema },
          503: { description: 'Not ready, with the reason', schema: healthSchema },
        },
      },
      async handle(context) {
        const health = await memory.healthCheck()
        const ready = health.status !== 'unhealthy' && !stopping.aborted
        // This needs no token, so it must not reveal where the store is.
        const problems = health.problems.map((problem) => problem.replaceAll(store, '(the store)'))
        return context.json({ ...health, problems }, ready ? 200 : 503)
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      needs: 'read',
      unbound: true,
      summary: 'Metrics in the text format of Prometheus',
      api: {
        operation: 'getMetrics',
        tag,
        answers: { 200: { description: 'The metrics', schema: z.string(), type: 'text/plain' } },
      },
      handle: async (context) =>
        context.body(await metrics.collect(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    },
  ]
}
