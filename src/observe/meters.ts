import { metrics } from '@opentelemetry/api'
import type { Layer } from '../model/layer.ts'

/** Called at each collection. */
export interface Readers {
  /** The memories of each layer. */
  sizes(): Promise<Partial<Record<Layer, number>>>
  /** Connections of the store's pool, by state; null if it has none. */
  pool(): Readonly<Record<string, number>> | null
}

export type Meters = ReturnType<typeof createMeters>

export function createMeters(readers: Readers) {
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
    began: (operation: string) => total.add(1, { operation }),
    failed: (operation: string, code: string) => errors.add(1, { code, operation }),
    ended: (operation: string, ms: number) => latency.record(ms, { operation }),
    searched(resultsByLayer: ReadonlyMap<Layer, number>) {
      for (const [layer, count] of resultsByLayer) results.record(count, { layer })
    },
    retried: (of: string) => retries.add(1, { of }),
    embedded: (source: string, texts: number) => vectors.add(texts, { source }),
  }
}
