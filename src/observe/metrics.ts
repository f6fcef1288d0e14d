import { type Meter, metrics } from '@opentelemetry/api'
import { MemoryError } from '../model/errors.ts'
import type { Layer } from '../model/layer.ts'
import { inSpan } from './trace.ts'

/** The engine's metrics for OpenTelemetry. They cost almost nothing while no meter provider is registered. */
export interface Metrics {
  /** Counts and times an operation, and counts failures by code. */
  observe<T>(operation: string, work: () => Promise<T>): Promise<T>
  searched(resultsByLayer: ReadonlyMap<Layer, number>): void
}

/** `readSizes` counts the memories of each layer. It is called at each collection. */
export function createMetrics(
  readSizes: () => Promise<Partial<Record<Layer, number>>>,
  meter: Meter = metrics.getMeter('nokosu'),
): Metrics {
  const total = meter.createCounter('memory.operations.total', { description: 'Memory operations, by operation' })
  const errors = meter.createCounter('memory.operations.errors', { description: 'Failed memory operations, by code' })
  const latency = meter.createHistogram('memory.operations.latency', {
    description: 'Duration of memory operations',
    unit: 'ms',
  })
  const results = meter.createHistogram('memory.search.results', { description: 'Results a search returned, by layer' })
  meter
    .createObservableGauge('memory.storage.size', { description: 'Memories stored, by layer' })
    .addCallback(async (gauge) => {
      for (const [layer, count] of Object.entries(await readSizes())) gauge.observe(count, { layer })
    })

  return {
    async observe(operation, work) {
      const start = performance.now()
      total.add(1, { operation })
      try {
        return await inSpan(`memory.${operation}`, work)
      } catch (error) {
        const failure = toMemoryError(error).during(operation)
        errors.add(1, { code: failure.code, operation })
        throw failure
      } finally {
        latency.record(performance.now() - start, { operation })
      }
    },
    searched(resultsByLayer) {
      for (const [layer, count] of resultsByLayer) results.record(count, { layer })
    },
  }
}

/** An error that is not a MemoryError is a bug in the backend, and retrying does not help. */
function toMemoryError(error: unknown): MemoryError {
  if (MemoryError.is(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new MemoryError('PROVIDER_ERROR', `The store failed: ${message}`, { retryable: false, cause: error })
}
