import type { Category } from '../model/categories.ts'
import type { ScopeSelector } from '../model/layer.ts'

export interface TallyQuery {
  /** Any of these; null is the whole store. */
  scopes: readonly ScopeSelector[] | null
  /** The instant at which memories are visible or not. */
  visibleAt: string
  /** Days from this one on, such as `2026-01-31`, are counted each for itself. */
  since: string
  /** What is held for review does not exist: neither its number nor its category, service or day. */
  withoutHeld?: true
}

/** Services that are named; the rest is in the sum only. */
export const MOST_SERVICES = 200

export interface Tally {
  memories: number
  /** On read paths at the instant. */
  visible: number
  held: number
  categories: { category: Category; memories: number; visible: number }[]
  /** The one with the most memories first, at most {@link MOST_SERVICES}; null is of no service. */
  services: { service: string | null; memories: number }[]
  /** By the day (UTC) on which they were created, in order; days without any are left out. `corrections` contradict another memory. */
  days: { day: string; memories: number; corrections: number }[]
}
