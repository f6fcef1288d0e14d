import { dot } from '../../vector/dot.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import { isNarrowed } from '../conditions.ts'
import { meets } from '../reference/meets.ts'
import type { SearchQuery } from '../search-query.ts'
import type { HeldPartition } from './held-partition.ts'
import type { HeldRow } from './held-row.ts'
import { nameInIndex, placeOfKey } from './outside.ts'
import { hiddenPartition } from './place.ts'
import { reachOf } from './search.ts'
import { MOST_NEIGHBOURS } from './vector-service.ts'
import type { Vectors } from './vectors.ts'

/** As many are read and compared here, rather than asked for among all others. */
const FEW = 500
/** Asked for beyond those that are needed: the index is not exact. */
const SPARE = 12
const READ_AT_ONCE = 2000

/** The index that a partition relies on has gone. */
export class IndexGone extends Error {
  readonly index: string

  constructor(index: string) {
    super(`the index ${index} has gone`)
    this.index = index
  }
}

/**
 * The nearest rows of partitions with an index outside, with their vectors as the table has them. While the index is
 * asked, vectors may leave this process, so those that are here are looked at first.
 */
export async function outsideNearest(
  vectors: Vectors,
  partitions: ReadonlyMap<string, HeldPartition>,
  query: SearchQuery,
): Promise<Map<HeldRow, Float32Array>> {
  const { vector, where, limit } = query
  const found = new Map<HeldRow, Float32Array>()
  const service = vectors.service
  if (vector === null || service === null) return found
  const { name: model, dimensions } = vectors.model
  for (const { partition, reads } of reachOf(partitions, query)) {
    if (partition.outside === null) continue
    const meetsAll = (row: HeldRow) => (!reads || reads(row)) && meets(row.row, where, model)
    const all = () => [...partition.rows().filter((row) => row.isOutside(model) && meetsAll(row))]
    const few = reads || isNarrowed(where) ? all() : null
    const allowed = few && partition.rows().filter(meetsAll)
    for (const row of partition.vectors(model, dimensions).nearest(vector, limit, where.visibleAt, allowed))
      found.set(row, decodeFloat16(row.vector!, dimensions))
    const near = few && few.length <= FEW ? few : await neighbours({ vectors, partition, vector, limit, meetsAll, all })
    for (const [row, own] of await nearest(vectors, near, vector, limit)) found.set(row, own)
  }
  return found
}

interface Asked {
  vectors: Vectors
  partition: HeldPartition
  vector: Float32Array
  limit: number
  meetsAll(row: HeldRow): boolean
  all(): HeldRow[]
}

/** Asks for more and more until enough meet the conditions. If even the most are not enough, all that meet them. */
async function neighbours({ vectors, partition, vector, limit, meetsAll, all }: Asked): Promise<HeldRow[]> {
  const wanted = limit + SPARE
  const hidden = hiddenPartition(partition.name)
  for (let topK = wanted * 2; ; topK = topK * 10) {
    const most = Math.min(topK, MOST_NEIGHBOURS)
    const { index } = partition.outside!
    const hits = await vectors.service!.query(index, vector, nameInIndex(partition.name), most)
    if (hits === null) throw new IndexGone(index)
    const rows = hits.flatMap(({ key }) => {
      const place = placeOfKey(key)
      const agentProjectKey = place.hidden ? hidden : partition.name
      const row = partition.namedAt({ agentProjectKey, createdAt: place.createdAt })
      return row && meetsAll(row) ? [row] : []
    })
    if (rows.length >= wanted || hits.length < most) return rows.slice(0, wanted)
    if (most === MOST_NEIGHBOURS) return all()
  }
}

/** The best of these by their own vectors, a part at a time. */
async function nearest(vectors: Vectors, rows: readonly HeldRow[], query: Float32Array, limit: number) {
  let best: [row: HeldRow, own: Float32Array][] = []
  for (let start = 0; start < rows.length; start += READ_AT_ONCE) {
    best.push(...(await vectors.read(rows.slice(start, start + READ_AT_ONCE))))
    const scores = new Map(best.map(([row, own]) => [row, dot(query, own)]))
    best = best.sort(([a], [b]) => scores.get(b)! - scores.get(a)!).slice(0, limit + SPARE)
  }
  return best
}
