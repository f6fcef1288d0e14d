import { metrics } from '@opentelemetry/api'
import { MemoryError } from '../model/errors.ts'
import type { Layer } from '../model/layer.ts'
import { inSpan } from './trace.ts'

/** The engine's metrics for OpenTelemetry. They cost almost nothing while no meter provider is registered. */
export interface Metrics {
  /** Counts and times an operation, and counts failures by code. */
  observe<T>(operation: string, work: () => Promise<T>): Promise<T>
  searched(resultsByLayer: ReadonlyMap<Layer, number>): void
  /** A call of `of` (the store, or an embedding model) failed and is retried. */
  retried(of: string): void
  /** Vectors of texts, by where they came from. */
  embedded(source: 'process' | 'store' | 'model', texts: number): void
}

/** Called at each collection. */
export interface Readers {
  /** The memories of each layer. */
  sizes(): Promise<Partial<Record<Layer, number>>>
  /** Connections of the store's pool, by state; null if it has none. */
  pool(): Readonly<Record<string, number>> | null
}

export function createMetrics(readers: Readers): Metrics {
  const meter = metrics.getMeter('nokosu')
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
      for (const [layer, count] of Object.entries(await readers.sizes())) gauge.observe(count, { layer })
    })
  meter
    .createObservableGauge('memory.pool.connections', { description: "Connections of the store's pool, by state" })
    .addCallback((gauge) => {
      for (const [state, count] of Object.entries(readers.pool() ?? {})) gauge.observe(count, { state })
    })
  const retries = meter.createCounter('memory.retries.total', { description: 'Calls that failed and were tried again' })
  const vectors = meter.createCounter('memory.embedding.texts.total', {
    description: 'Texts embedded, by source: kept in the process, kept in the store, or computed by the model',
  })
  // Reported as 0 from the start, so that a missing counter means a broken one.
  retries.add(0, { of: 'store' })

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
    retried: (of) => retries.add(1, { of }),
    embedded: (source, texts) => vectors.add(texts, { source }),
  }
}

/** An error that is not a MemoryError is a bug in the backend, and retrying does not help. */
function toMemoryError(error: unknown): MemoryError {
  if (MemoryError.is(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new MemoryError('PROVIDER_ERROR', `The store failed: ${message}`, { retryable: false, cause: error })
}
