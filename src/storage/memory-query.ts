import type { ScopeSelector } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { MEMORY_ORDERS } from '../model/schema.ts'
import type { Conditions } from './conditions.ts'

/**
 * - `newest`: `createdAt`, then id, the latest first; `oldest`: the other way round.
 * - `confidence`, `importance`: the greatest stored value first, then the newest.
 * - `updated`: `updatedAt`, then id, the latest first; `fading`: `visibleUntil`, then id, the earliest first.
 */
export type MemoryOrder = (typeof MEMORY_ORDERS)[number]

export interface MemoryQuery {
  /** Any of these; null is the whole store. */
  scopes: readonly ScopeSelector[] | null
  where: Conditions
  order: MemoryOrder
  limit: number
  /**
   * `next` of the page before, of the same query; null starts. Opaque: only the store that made it reads it. Memories that
   * exist throughout are seen once, whatever is added or removed meanwhile. One that it cannot read is
   * INVALID_INPUT with the field `cursor`, as callers know it.
   */
  after: string | null
  /** Whether `totalCount` is wanted: counting may cost more than the page. */
  count: boolean
  /** Whether vectors are wanted. */
  vectors: boolean
}

export interface StoredMemory {
  memory: Memory
  /** Of the current model; null when it has none. In a page without `vectors`: null. */
  vector: Float32Array | null
}

export interface MemoryPage {
  items: StoredMemory[]
  next: string | null
  /** Of all pages together; null when it was not asked for. */
  totalCount: number | null
  /** Of the whole store, where other programs write to it: what they left there that is no memory. */
  unreadable?: number
}
