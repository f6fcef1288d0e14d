import type { MemoryError } from '../model/errors.ts'

/** Something that failed temporarily and is retried at this time. */
export interface Backoff {
  /** What failed: `store`, or the name of the embedding model. */
  name: string
  code: string
  until: string
}

export function createBackoffs(now: () => Date, onRetry: (of: string) => void = () => {}) {
  const waits = new Map<string, Backoff>()
  return {
    /** For `withRetry`: records that this is retried later. */
    noteFor: (name: string) => (error: MemoryError, delayMs: number) => {
      onRetry(name)
      waits.set(name, { name, code: error.code, until: new Date(now().getTime() + delayMs).toISOString() })
    },
    current(): Backoff[] {
      const time = now().toISOString()
      for (const [name, { until }] of waits) if (until <= time) waits.delete(name)
      return [...waits.values()]
    },
  }
}
