import type { ScopeSelector } from '../../model/layer.ts'
import { dot } from '../../vector/dot.ts'
import type { StoredMemory } from '../memory-query.ts'
import { inScopes, meets } from '../reference/meets.ts'
import { type Found, type SearchQuery, tokenWeight } from '../search-query.ts'
import type { HeldPartition } from './held-partition.ts'
import type { StoredRow } from './memory-item.ts'
import { placesOf } from './scope-key.ts'

/** Answers a question from the partitions that it reads. */
export function find(partitions: ReadonlyMap<string, HeldPartition>, query: SearchQuery, model: string): Found {
  const { where, vector, tokens, limit, around = 0 } = query
  const reach = reachOf(partitions, query)
  const meetsAll = ({ row }: StoredRow) => meets(row, where, model)
  const held = tokens.map((token) => reach.flatMap(({ partition, reads }) => partition.holders(token).filter(reads)))
  const documents = reach.reduce((sum, { partition, reads, whole }) => {
    return sum + (whole ? partition.size : [...partition.rows()].filter(reads).length)
  }, 0)
  const frequencies = held.map((rows) => rows.length)

  const weights = new Map<StoredRow, number>()
  for (const [i, rows] of held.entries()) {
    const weight = tokenWeight(documents, frequencies[i]!)
    for (const stored of rows) weights.set(stored, (weights.get(stored) ?? 0) + weight)
  }
  const worded = best(
    [...weights].filter(([stored]) => meetsAll(stored)),
    limit,
  )
  const near: [StoredRow, number][] = []
  if (vector !== null) {
    for (const { partition, reads } of reach) {
      for (const stored of partition.rows()) {
        const own = vectorOf(stored, model)
        if (own && reads(stored) && meetsAll(stored)) near.push([stored, dot(vector, own)])
      }
    }
  }
  const found = new Set([...best(near, limit), ...worded])
  for (const stored of besides(found, reach, around)) if (meetsAll(stored)) found.add(stored)
  return { candidates: [...found].map((stored) => toStored(stored, model)), documents, frequencies }
}

/** What stands at most so many places from something found, in its thread. */
function* besides(found: ReadonlySet<StoredRow>, reach: readonly Reach[], around: number): Generator<StoredRow> {
  if (around === 0) return
  const places = [...found].flatMap(({ row }) => row.memory.thread ?? [])
  const threads = new Map([...Map.groupBy(places, ({ id }) => id)])
  if (threads.size === 0) return
  for (const { partition, reads } of reach) {
    for (const stored of partition.rows()) {
      const { thread } = stored.row.memory
      const near = thread && threads.get(thread.id)?.some(({ index }) => Math.abs(index - thread.index) <= around)
      if (near && reads(stored)) yield stored
    }
  }
}

interface Reach {
  partition: HeldPartition
  /** Every memory of the partition is read. */
  whole: boolean
  reads: (stored: StoredRow) => boolean
}

function reachOf(partitions: ReadonlyMap<string, HeldPartition>, { scopes }: SearchQuery): Reach[] {
  if (scopes === null)
    return [...partitions.values()].map((partition) => ({ partition, whole: true, reads: () => true }))
  const named = new Set(scopes.flatMap(partitionsOf))
  return [...partitions.values()].map((partition) => {
    const whole = named.has(partition.name)
    return { partition, whole, reads: whole ? () => true : ({ row }) => inScopes(row, scopes) }
  })
}

/** Those that a selector reads whole. */
function partitionsOf(selector: ScopeSelector): string[] {
  const places = placesOf(selector)
  return 'length' in places ? places.map(({ partition }) => partition) : []
}

/** The vector of the current model, if the memory has one. */
function vectorOf({ row, vector }: StoredRow, model: string): Float32Array | null {
  return row.embedding?.model === model ? vector : null
}

/** A copy to give away. */
export function toStored(stored: StoredRow, model: string): StoredMemory {
  return { memory: structuredClone(stored.row.memory), vector: vectorOf(stored, model)?.slice() ?? null }
}

/** Those with the greatest score, then the newest. */
function best(scored: [StoredRow, number][], limit: number): StoredRow[] {
  return scored
    .sort(([a, x], [b, y]) => y - x || (isNewer(a, b) ? -1 : 1))
    .slice(0, limit)
    .map(([stored]) => stored)
}

function isNewer({ row: { memory: a } }: StoredRow, { row: { memory: b } }: StoredRow): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}
