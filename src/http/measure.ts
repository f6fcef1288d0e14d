import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { type Meter, metrics } from '@opentelemetry/api'
import type { MiddlewareHandler } from 'hono'
import type { Env, ServerParts } from './route.ts'

/** Seconds, from cached answers to long computations. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The server's own metrics. Every request is counted and timed by method, route and status. */
export function measureServer(
  { heldBack }: Pick<ServerParts, 'heldBack'>,
  meter: Meter = metrics.getMeter('nokosu'),
): MiddlewareHandler<Env> {
  measureProcess(meter)
  if (heldBack) {
    meter
      .createObservableGauge('memory.spool.records', { description: "Records in this machine's spool, by state" })
      .addCallback(async (gauge) => {
        const { spool } = await heldBack()
        const states = Map.groupBy(spool, ({ state }) => state)
        for (const state of ['waits', 'set aside'] as const) gauge.observe(states.get(state)?.length ?? 0, { state })
      })
  }
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Seconds from a request to its answer, by method, route and status',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  })
  return async (context, next) => {
    const start = performance.now()
    await next()
    // The pattern of the route: paths would make a series for each memory.
    const route = context.get('route')?.path ?? 'none'
    duration.record((performance.now() - start) / 1000, {
      method: context.req.method,
      route,
      status: context.res.status,
    })
  }
}

function measureProcess(meter: Meter): void {
  const gauge = (name: string, description: string, read: () => number | null) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      const value = read()
      if (value !== null) result.observe(value)
    })
  meter
    .createObservableCounter('process.cpu.seconds.total', { description: 'CPU time of the process' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe((user + system) / 1e6)
    })
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('process.start_time.seconds', 'When the process started, in seconds since 1970', () => startedAt)
  gauge('process.resident_memory.bytes', 'Memory of the process', () => process.memoryUsage.rss())
  gauge('process.open_fds', 'Open files and sockets; on Linux', countOpenFiles)
  gauge('nodejs.heap.used.bytes', 'Memory of JavaScript objects', () => process.memoryUsage().heapUsed)
  let before = performance.eventLoopUtilization()
  gauge('nodejs.eventloop.utilization', 'Share of the time since the last collection that the process was busy', () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  })
}

function countOpenFiles(): number | null {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null
}
