import type { ScopeSelector } from '../../model/layer.ts'
import { dot } from '../../vector/dot.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import { isNarrowed } from '../conditions.ts'
import { copyOf } from '../copy-stored.ts'
import type { StoredMemory } from '../memory-query.ts'
import { isNewer } from '../reference/find.ts'
import { inScopes, meets } from '../reference/meets.ts'
import { COMMON_TOKEN, type Found, type SearchQuery, tokenWeight } from '../search-query.ts'
import type { VectorModel } from '../storage.ts'
import type { HeldPartition } from './held-partition.ts'
import type { HeldRow } from './held-row.ts'
import { partitionOf } from './place.ts'
import { placesOf } from './scope-key.ts'

export function find(
  partitions: ReadonlyMap<string, HeldPartition>,
  query: SearchQuery,
  { name: model, dimensions }: VectorModel,
  outside: ReadonlyMap<HeldRow, Float32Array>,
): { found: Found; rows: HeldRow[] } {
  const { where, vector, tokens, limit, around = 0 } = query
  const reach = reachOf(partitions, query)
  const meetsAll = ({ row }: HeldRow) => meets(row, where, model)
  const documents = reach.reduce((sum, { partition, reads }) => sum + countOf(partition, reads), 0)
  const held = tokens.map((token) => holdersOf(reach, token))
  const frequencies = held.map(({ count }) => count)

  const found = new Set(best(weightsOf(held, documents)).filter(meetsAll).take(limit))
  const vectors = new Map<HeldRow, Float32Array>()
  if (vector !== null) {
    const near = new Map<HeldRow, number>()
    for (const { partition, reads } of reach) {
      const allows = (stored: HeldRow) => (!reads || reads(stored)) && meetsAll(stored)
      const allowed = reads || isNarrowed(where) ? partition.rows().filter(allows) : null
      for (const stored of partition.vectors(model, dimensions).nearest(vector, limit, where.visibleAt, allowed)) {
        const own = decodeFloat16(stored.vector!, dimensions)
        vectors.set(stored, own)
        near.set(stored, dot(vector, own))
      }
    }
    for (const [{ place, textHash }, own] of outside) {
      // It may have changed while its vector was read.
      const partition = partitions.get(partitionOf(place))
      const stored = partition?.namedAt(place)
      if (!stored || stored.textHash !== textHash || !meetsAll(stored)) continue
      vectors.set(stored, own)
      near.set(stored, dot(vector, own))
    }
    for (const stored of best(near).take(limit)) found.add(stored)
  }
  for (const stored of besides(found, reach, around)) if (meetsAll(stored)) found.add(stored)
  const rows = [...found]
  const candidates = rows.map((stored) => toStored(stored, model, vectors.get(stored)))
  return { found: { candidates, documents, frequencies }, rows }
}

/** The token weight of each row. Very common tokens say little, and are only read if there is no rarer one. */
function weightsOf(held: readonly Holders[], documents: number): Map<HeldRow, number> {
  const rare = held.filter(({ count }) => count > 0 && count <= COMMON_TOKEN)
  const weights = new Map<HeldRow, number>()
  for (const { count, lists } of rare.length > 0 ? rare : held) {
    const weight = tokenWeight(documents, count)
    for (const rows of lists) for (const stored of rows) weights.set(stored, (weights.get(stored) ?? 0) + weight)
  }
  return weights
}

/** Highest scores first, then newest. Rows of one score are sorted when they are reached. */
function* best(scores: ReadonlyMap<HeldRow, number>): Generator<HeldRow> {
  const rows = Map.groupBy(scores.keys(), (stored) => scores.get(stored)!)
  for (const score of [...rows.keys()].sort((a, b) => b - a))
    yield* rows.get(score)!.sort((a, b) => (isNewer({ memory: a }, { memory: b }) ? -1 : 1))
}

/** Rows within this distance of a match in the same thread. */
function* besides(found: ReadonlySet<HeldRow>, reach: readonly Reach[], around: number): Generator<HeldRow> {
  if (around === 0) return
  const places = [...found].flatMap(({ row }) => row.memory.thread ?? [])
  const threads = Map.groupBy(places, ({ id }) => id)
  if (threads.size === 0) return
  for (const { partition, reads } of reach) {
    for (const stored of partition.rows()) {
      const { thread } = stored.row.memory
      const near = thread && threads.get(thread.id)?.some(({ index }) => Math.abs(index - thread.index) <= around)
      if (near && (!reads || reads(stored))) yield stored
    }
  }
}

export interface Reach {
  partition: HeldPartition
  /** null: read every memory of the partition. */
  reads: ((stored: HeldRow) => boolean) | null
}

export function reachOf(
  partitions: ReadonlyMap<string, HeldPartition>,
  { scopes }: Pick<SearchQuery, 'scopes'>,
): Reach[] {
  if (scopes === null) return [...partitions.values()].map((partition) => ({ partition, reads: null }))
  const named = new Set(scopes.flatMap(partitionsOf))
  const reads = ({ row }: HeldRow) => inScopes(row, scopes)
  return [...partitions.values()].map((partition) => ({ partition, reads: named.has(partition.name) ? null : reads }))
}

function partitionsOf(selector: ScopeSelector): string[] {
  const places = placesOf(selector)
  return 'length' in places ? places.map(({ partition }) => partition) : []
}

function countOf(partition: HeldPartition, reads: Reach['reads']): number {
  return reads ? [...partition.rows().filter(reads)].length : partition.size
}

interface Holders {
  count: number
  lists: ReadonlySet<HeldRow>[]
}

function holdersOf(reach: readonly Reach[], token: string): Holders {
  const lists = reach.map(({ partition, reads }) => {
    const all = partition.holders(token)
    return reads ? new Set([...all].filter(reads)) : all
  })
  return { count: lists.reduce((sum, { size }) => sum + size, 0), lists }
}

/**
 * A copy for the caller, with its vector if it has one of the current model; `decoded` if the vector is already
 * decoded.
 */
export function toStored(
  { row, vector }: Pick<HeldRow, 'row' | 'vector'>,
  model: string,
  decoded?: Float32Array,
): StoredMemory {
  const own = row.embedding?.model === model ? vector : null
  return copyOf({ memory: row.memory, vector: decoded ?? (own && decodeFloat16(own, own.byteLength / 2)) })
}
