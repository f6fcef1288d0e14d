import type { ScopeSelector } from '../model/layer.ts'
import type { Conditions } from './conditions.ts'
import type { StoredMemory } from './memory-query.ts'

export interface SearchQuery {
  /** Any of these; null for the whole store. */
  scopes: readonly ScopeSelector[] | null
  where: Conditions
  /** Finds the nearest by cosine; null to skip. Always null if the backend has no `vectorSearch`. */
  vector: Float32Array | null
  /** Distinct; any may match. Always empty if the backend has no `keywordSearch`. */
  tokens: readonly string[]
  /** The most candidates by vector, and the most by token. */
  limit: number
  /**
   * For each candidate in a thread, also return the memories within this distance in the same thread, if they match the
   * scopes and conditions of this query. Default: 0.
   */
  around?: number
}

/** Search candidates. The engine scores them, so the store returns neither order nor score. */
export interface Found {
  /**
   * The nearest by vector (recall at least 99 in 100) and the best by token, without duplicates, with their vectors.
   * Best by token means the highest sum of `tokenWeight` over the matching tokens, then the newest. A store may skip
   * tokens found in more than `COMMON_TOKEN` memories of the scopes if the query has a rarer one. Thread neighbours
   * follow.
   */
  candidates: StoredMemory[]
  /** Number of memories in the scopes, in any state, ignoring conditions. */
  documents: number
  /** How many of those contain each token. Above `COMMON_TOKEN`, up to a minute old. */
  frequencies: number[]
}

export const COMMON_TOKEN = 2000

/** The weight of a token that this many documents contain. */
export function tokenWeight(documents: number, frequency: number): number {
  return frequency === 0 ? 0 : Math.log(1 + documents / frequency)
}
