import type { Category } from '../model/categories.ts'
import type { ScopeSelector } from '../model/layer.ts'

export interface TallyQuery {
  /** Any of these; null for the whole store. */
  scopes: readonly ScopeSelector[] | null
  /** The time at which visibility is evaluated. */
  visibleAt: string
  /** Counts each day from this one on, such as `2026-01-31`. */
  since: string
  /** Ignores memories held for review entirely, including their categories, services and days. */
  withoutHeld?: true
}

/** The most services and projects listed; the rest is only in the total. */
export const MOST_LISTED = 200

export interface Tally {
  memories: number
  /** Visible at that time. */
  visible: number
  held: number
  categories: { category: Category; memories: number; visible: number }[]
  /** Most memories first, at most {@link MOST_LISTED}; null is for those without a service. */
  services: { service: string | null; memories: number }[]
  /** The same by project. */
  projects: { project: string | null; memories: number }[]
  /** By creation day (UTC), in order; days without memories are left out. `corrections` contradict another memory. */
  days: { day: string; memories: number; corrections: number }[]
}
