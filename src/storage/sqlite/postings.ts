import { TopK } from '../../vector/top-k.ts'
import type { RowMark } from './search-cache.ts'

/** The rows that contain a token, in ascending order, and the token's weight. */
export interface Postings {
  rows: readonly number[]
  weight: number
}

/** Rows in ascending order, each with the sum of its token weights. */
export interface Weighed {
  ids: number[]
  weights: number[]
  /** Whether all rows are present, or only possible winners. */
  whole: boolean
}

/** Sums of the same weights in different order differ by less than this. */
const ROUNDING = 1e-9

/**
 * Merges the lists, shortest first. Once enough rows have more than all remaining lists could add, other rows are
 * dropped, so the long lists are hardly read.
 */
export function addUp(lists: readonly Postings[], count = Number.POSITIVE_INFINITY): Weighed {
  let sum: Weighed = { ids: [], weights: [], whole: true }
  let left = lists.reduce((total, { weight }) => total + weight, 0) + ROUNDING
  for (const list of lists.toSorted((a, b) => a.rows.length - b.rows.length)) {
    if (sum.whole && sum.ids.length > count) {
      const enough = leastOf(sum.weights, count)
      if (enough > left) sum = above(sum, enough - left)
    }
    sum = sum.whole ? join(sum, list) : raise(sum, list)
    left -= list.weight
  }
  return sum
}

function above({ ids, weights }: Weighed, least: number): Weighed {
  const kept: Weighed = { ids: [], weights: [], whole: false }
  for (let i = 0; i < ids.length; i++) {
    if (weights[i]! < least) continue
    kept.ids.push(ids[i]!)
    kept.weights.push(weights[i]!)
  }
  return kept
}

/** Adds a list's weight to the rows that are present. */
function raise({ ids, weights, whole }: Weighed, { rows, weight }: Postings): Weighed {
  let from = 0
  const raised = weights.map((sum, i) => {
    const id = ids[i]!
    for (let end = rows.length; from < end; ) {
      const middle = (from + end) >>> 1
      if (rows[middle]! < id) from = middle + 1
      else end = middle
    }
    return rows[from] === id ? sum + weight : sum
  })
  return { ids, weights: raised, whole }
}

function join({ ids, weights }: Weighed, { rows, weight }: Postings): Weighed {
  const joined: Weighed = { ids: [], weights: [], whole: true }
  let at = 0
  for (const id of rows) {
    for (; at < ids.length && ids[at]! < id; at++) {
      joined.ids.push(ids[at]!)
      joined.weights.push(weights[at]!)
    }
    const held = at < ids.length && ids[at] === id
    joined.ids.push(id)
    joined.weights.push(held ? weights[at++]! + weight : weight)
  }
  for (; at < ids.length; at++) {
    joined.ids.push(ids[at]!)
    joined.weights.push(weights[at]!)
  }
  return joined
}

export function inOrder(ids: number[]): number[] {
  return ids.sort((a, b) => a - b)
}

/** The weight that this many rows reach. */
export function leastOf(weights: readonly number[], count: number): number {
  if (weights.length <= count) return Number.NEGATIVE_INFINITY
  const best = new TopK(count)
  let least = Number.NEGATIVE_INFINITY
  for (let i = 0; i < weights.length; i++) {
    if (weights[i]! <= least) continue
    best.offer(i, weights[i]!)
    least = best.threshold
  }
  return least
}

export interface MarkedRow {
  id: number
  weight: number
  mark: RowMark
}

/** The ids of the best rows. Later rows are mostly newer, so going backwards replaces few. */
export function best(rows: readonly MarkedRow[], limit: number): number[] {
  const kept: MarkedRow[] = []
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i]!
    if (kept.length >= limit && !isBefore(row, kept[kept.length - 1]!)) continue
    let at = kept.length
    while (at > 0 && isBefore(row, kept[at - 1]!)) at--
    kept.splice(at, 0, row)
    if (kept.length > limit) kept.pop()
  }
  return kept.map((row) => row.id)
}

/** Heavier first, then newer. */
function isBefore(a: MarkedRow, b: MarkedRow): boolean {
  if (a.weight !== b.weight) return a.weight > b.weight
  if (a.mark.createdAt !== b.mark.createdAt) return a.mark.createdAt > b.mark.createdAt
  return a.mark.ulid > b.mark.ulid
}
