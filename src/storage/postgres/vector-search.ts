import type { SearchQuery } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { type Place, within } from '../sql/places.ts'
import { raw, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { ask, POSTGRES } from './dialect.ts'
import { readStored, SELECT_MEMORY, type StoredRow, writeVector } from './row.ts'

/** Index candidates (ef_search): more improves recall and takes longer. */
const BREADTH = { least: 120, perResult: 4, most: 1000 }
/** The most entries the index scans per search; beyond that the rest is compared exactly. */
const MOST_LOOKED_AT = 40_000

/** Sends the nearest-neighbour query. Null if the index did not find enough and the place must be scanned in full. */
export async function readNearest(
  queries: Queries,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
  exactUpTo: number,
): Promise<StoredRow[] | null> {
  if (query.vector === null) return []
  if (!isIndexed(model, place, query, exactUpTo)) return searchExactly(queries, model, place, query)
  const [, rows] = await Promise.all([
    queries.script(settings(query.limit)),
    throughIndex(queries, model, place, query),
  ])
  return rows.length < query.limit ? null : rows
}

/** Small places are scanned, large ones use the index. */
function isIndexed(
  model: CurrentModel,
  { documents, total }: Place,
  { limit }: SearchQuery,
  exactUpTo: number,
): boolean {
  if (!model.indexed || documents <= exactUpTo) return false
  // If most neighbours would be filtered out, scanning only the wanted ones is faster.
  return exactUpTo === 0 || (total / documents) * limit * BREADTH.perResult <= documents
}

export function searchExactly(
  queries: Queries,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
): Promise<StoredRow[]> {
  return readStored(
    queries,
    model,
    sql`SELECT m.id FROM memories m JOIN embeddings e ON e.id = m.embedding_id
     WHERE m.model = ${raw(model.id)} AND ${within(POSTGRES, place)}${whereConditions(query.where, POSTGRES, model.id)}
     ORDER BY e.vector <=> ${writeVector(query.vector!)}::halfvec, m.created_at DESC, m.ulid DESC LIMIT ${raw(query.limit)}`,
  )
}

/** Settings for the index-only statement, which must be the last in its transaction. */
function settings(limit: number): string {
  const { least, perResult, most } = BREADTH
  const breadth = Math.min(most, Math.max(least, limit * perResult))
  return `SET LOCAL hnsw.ef_search = ${breadth}; SET LOCAL hnsw.iterative_scan = strict_order;
    SET LOCAL hnsw.max_scan_tuples = ${MOST_LOOKED_AT}; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off;
    SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off;
    SET LOCAL enable_material = off`
}

/** Scans the index outwards from the query until enough results match. */
function throughIndex(queries: Queries, model: CurrentModel, place: Place, query: SearchQuery): Promise<StoredRow[]> {
  const type = raw(`halfvec(${model.dimensions})`)
  return ask<StoredRow>(
    queries,
    sql`SELECT ${SELECT_MEMORY}, halfvec_send(e.vector) AS vector FROM embeddings e JOIN memories m ON m.embedding_id = e.id
     WHERE e.model = ${raw(model.id)} AND ${within(POSTGRES, place)}${whereConditions(query.where, POSTGRES, model.id)}
     ORDER BY e.vector::${type} <=> ${writeVector(query.vector!)}::${type} LIMIT ${raw(query.limit)}`,
  )
}
