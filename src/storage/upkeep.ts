import type { Layer } from '../model/layer.ts'

export interface StorageStats {
  memories: number
  active: number
  byLayer: Partial<Record<Layer, number>>
  sessions: number
  /** Names of models that at least one memory has a vector of. */
  models: string[]
  sizeBytes: number | null
}

export interface PurgeReport {
  memories: number
  changes: number
  /** Vectors of texts that no memory has any more. */
  vectors: number
  /** False if the removed text may still be readable in the store's files; `remains` says where and until when. */
  erased: boolean
  remains: string | null
}

export const PRUNED = ['sessions', 'events', 'showings'] as const
/** For each kind of record: remove those from before this time; null to keep them all. */
export type PruneTimes = Record<(typeof PRUNED)[number], string | null>
/** How many records of each kind were removed. */
export type PruneReport = Record<(typeof PRUNED)[number], number>

export interface UpgradeOptions {
  /** Only report what is missing. */
  dryRun: boolean
  /** Stops at the next safe point; a later upgrade continues. */
  signal: AbortSignal
  /** `total` is null while it is not known. */
  onProgress(step: string, done: number, total: number | null): void
}
