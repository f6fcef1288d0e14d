import type { SearchQuery } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { type Place, within } from '../sql/places.ts'
import { raw, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { ask, POSTGRES } from './dialect.ts'
import { SELECT_MEMORY, type StoredRow, writeVector } from './row.ts'
import { isWorthIndex, noticeIndex, PER_RESULT } from './vector-index.ts'

/** Index candidates (ef_search): more improves recall and takes longer. */
const BREADTH = { least: 120, most: 1000 }
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
  if (!isWorthIndex(place.documents, place.total, query.limit, exactUpTo)) {
    return searchExactly(queries, model, place, query)
  }
  const { indexed } = model
  const looking = noticeIndex(queries, model)
  const reading = indexed
    ? Promise.all([queries.script(settings(query.limit)), throughIndex(queries, model, place, query)])
    : Promise.all([null, searchExactly(queries, model, place, query)])
  const [[, rows]] = await Promise.all([reading, looking])
  return indexed && rows.length < query.limit ? null : rows
}

/**
 * Memories by their vector only. OFFSET keeps the planner from reading the whole scope for each vector instead, which it may prefer
 * before the server has statistics.
 */
const BY_VECTOR = (embedding: string) =>
  raw(`CROSS JOIN LATERAL (SELECT * FROM memories m WHERE m.embedding_id = ${embedding} OFFSET 0) m`)

/** Reads the vectors of a place by their numbers, which needs no statistics and no rows of `memories` but those it returns. */
export function searchExactly(
  queries: Queries,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
): Promise<StoredRow[]> {
  const matches = sql`${within(POSTGRES, place)}${whereConditions(query.where, POSTGRES, model.id)}`
  return ask<StoredRow>(
    queries,
    sql`SELECT ${SELECT_MEMORY}, halfvec_send(near.vector) AS vector FROM (
       SELECT e.id, e.vector, e.vector <=> ${writeVector(query.vector!)}::halfvec AS distance FROM embeddings e
       WHERE e.id = ANY (ARRAY(SELECT m.embedding_id FROM memories m WHERE ${matches})) AND e.model = ${raw(model.id)}
       ORDER BY distance, e.id DESC LIMIT ${raw(query.limit)}) near
     ${BY_VECTOR('near.id')} WHERE ${matches}
     ORDER BY near.distance, m.created_at DESC, m.ulid DESC LIMIT ${raw(query.limit)}`,
  )
}

/** Settings for the index-only statement, which must be the last in its transaction. */
function settings(limit: number): string {
  const breadth = Math.min(BREADTH.most, Math.max(BREADTH.least, limit * PER_RESULT))
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
    sql`SELECT ${SELECT_MEMORY}, halfvec_send(e.vector) AS vector FROM embeddings e ${BY_VECTOR('e.id')}
     WHERE e.model = ${raw(model.id)} AND ${within(POSTGRES, place)}${whereConditions(query.where, POSTGRES, model.id)}
     ORDER BY e.vector::${type} <=> ${writeVector(query.vector!)}::${type} LIMIT ${raw(query.limit)}`,
  )
}
