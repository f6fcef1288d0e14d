import type { ScopeSelector } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { MEMORY_ORDERS } from '../model/schema.ts'
import type { Conditions } from './conditions.ts'

/**
 * - `newest`: `createdAt`, then id, latest first; `oldest`: the reverse.
 * - `confidence`, `importance`: highest stored value first, then newest.
 * - `updated`: `updatedAt`, then id, latest first; `fading`: `visibleUntil`, then id, earliest first.
 */
export type MemoryOrder = (typeof MEMORY_ORDERS)[number]

export interface MemoryQuery {
  /** Any of these; null for the whole store. */
  scopes: readonly ScopeSelector[] | null
  where: Conditions
  order: MemoryOrder
  limit: number
  /**
   * `next` of the previous page of the same query; null to start. Opaque: only the store that made it can read it.
   * Memories that exist throughout are returned once, whatever is added or removed in between. An unreadable one is
   * INVALID_INPUT with the field `cursor`, the caller's name for it.
   */
  after: string | null
  /** Whether to return `totalCount`: counting may cost more than the page. */
  count: boolean
  /** Whether to return vectors. */
  vectors: boolean
}

export interface StoredMemory {
  memory: Memory
  /** The vector of the current model; null if it has none, or if `vectors` was not set. */
  vector: Float32Array | null
}

export interface MemoryPage {
  items: StoredMemory[]
  next: string | null
  /** Total of all pages; null if it was not requested. */
  totalCount: number | null
  /** For the whole store, if other programs write to it: how many of their items are not memories. */
  unreadable?: number
}
