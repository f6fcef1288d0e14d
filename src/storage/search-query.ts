import type { ScopeSelector } from '../model/layer.ts'
import type { Conditions } from './conditions.ts'
import type { StoredMemory } from './memory-query.ts'

export interface SearchQuery {
  /** Any of these; null is the whole store. */
  scopes: readonly ScopeSelector[] | null
  where: Conditions
  /** Finds the nearest by cosine; null asks for none. Always null where the backend has no `vectorSearch`. */
  vector: Float32Array | null
  /** Distinct; any may match. Always empty where the backend has no `keywordSearch`. */
  tokens: readonly string[]
  /** The most candidates by vector, and again by token. */
  limit: number
  /**
   * Of each candidate that stands in a thread, also the memories at most so many places from it in the same thread, inside the
   * scopes and conditions of this query. Default: 0.
   */
  around?: number
}

/** What a store found. The engine scores it: neither the order nor a score is asked for. */
export interface Found {
  /**
   * The nearest by vector (all but at most one in a hundred of the true ones) and the best by token, each once, with their
   * vectors. Best by token: the sum of `tokenWeight` over the tokens held is greatest, then the newest. A store may leave
   * tokens unread that more than `COMMON_TOKEN` memories of the scopes hold, as long as a rarer one was asked for. Then
   * those around them.
   */
  candidates: StoredMemory[]
  /** Memories in the scopes, in whatever state, conditions apart. */
  documents: number
  /** For each token, how many of those hold it. Above `COMMON_TOKEN` it may be up to a minute old. */
  frequencies: number[]
}

export const COMMON_TOKEN = 2000

/** How much a token tells that so many of the documents hold. */
export function tokenWeight(documents: number, frequency: number): number {
  return frequency === 0 ? 0 : Math.log(1 + documents / frequency)
}
