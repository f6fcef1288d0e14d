import { MemoryError } from '../model/errors.ts'
import type { Layer } from '../model/layer.ts'
import type { Meters, Readers } from './meters.ts'

/** The engine's metrics for OpenTelemetry. Without a provider nothing of it is loaded. */
export interface Metrics {
  /** Counts and times an operation, and counts failures by code. */
  observe<T>(operation: string, work: () => Promise<T>): Promise<T>
  searched(resultsByLayer: ReadonlyMap<Layer, number>): void
  /** A call of `of` (the store, or an embedding model) failed and is retried. */
  retried(of: string): void
  /** Vectors of texts, by where they came from. */
  embedded(source: 'process' | 'store' | 'model', texts: number): void
}

/** Set by every copy of OpenTelemetry's API once a provider is registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

export async function createMetrics(readers: Readers): Promise<Metrics> {
  const meters: Meters | null = REGISTERED in globalThis ? (await import('./meters.ts')).createMeters(readers) : null
  return {
    async observe(operation, work) {
      const start = meters === null ? 0 : performance.now()
      meters?.began(operation)
      try {
        if (!(REGISTERED in globalThis)) return await work()
        return await (await import('./trace.ts')).inSpan(`memory.${operation}`, work)
      } catch (error) {
        const failure = toMemoryError(error).during(operation)
        meters?.failed(operation, failure.code)
        throw failure
      } finally {
        meters?.ended(operation, performance.now() - start)
      }
    },
    searched: (resultsByLayer) => meters?.searched(resultsByLayer),
    retried: (of) => meters?.retried(of),
    embedded: (source, texts) => meters?.embedded(source, texts),
  }
}

/** An error that is not a MemoryError is a bug in the backend, and retrying does not help. */
function toMemoryError(error: unknown): MemoryError {
  if (MemoryError.is(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new MemoryError('PROVIDER_ERROR', `The store failed: ${message}`, { retryable: false, cause: error })
}
