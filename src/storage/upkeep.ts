import type { Layer } from '../model/layer.ts'

export interface StorageStats {
  memories: number
  active: number
  byLayer: Partial<Record<Layer, number>>
  sessions: number
  /** Models of which at least one memory has a vector, by name. */
  models: string[]
  sizeBytes: number | null
}

export interface PurgeReport {
  memories: number
  changes: number
  /** Vectors of texts that no memory holds any more. */
  vectors: number
  /** False where the removed text may still be read from the store's files, and `remains` says where and until when. */
  erased: boolean
  remains: string | null
}
