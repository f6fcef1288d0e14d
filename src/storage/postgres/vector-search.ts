import type { SearchQuery } from '../search-query.ts'
import type { Queries, SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { writeVector } from './row.ts'
import { type Place, within } from './scopes.ts'
import { Values } from './values.ts'
import { whereConditions } from './where.ts'

/** Candidates that the index keeps in view: more finds more of the true nearest, and takes longer. */
const BREADTH = { least: 200, perResult: 8, most: 1000 }
/** The most that the index looks at for one search; what it has not found by then is compared one by one. */
const MOST_LOOKED_AT = 40_000

/** The ids of the nearest. Small places are compared whole, large ones through the index. */
export async function searchVectors(
  client: SqlClient,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
  exactUpTo: number,
): Promise<string[]> {
  const { documents, total } = place
  if (model.indexed && documents > exactUpTo) {
    // Many others stand between those that are wanted: then it is quicker to look at the wanted ones only.
    if ((total / documents) * query.limit * BREADTH.perResult <= documents || exactUpTo === 0) {
      const found = await client.transaction((queries) => throughIndex(queries, model, place, query))
      if (found.length >= query.limit) return found
    }
  }
  return exactly(client, model, place, query)
}

async function exactly(queries: Queries, model: CurrentModel, place: Place, query: SearchQuery): Promise<string[]> {
  const values = new Values()
  const vector = values.bind(writeVector(query.vector!))
  const rows = await queries.query<{ ulid: string }>(
    `SELECT m.ulid FROM memories m JOIN embeddings e ON e.id = m.embedding_id
     WHERE m.model = ${model.id} AND ${within(place, values)}${whereConditions(query.where, model.id, values)}
     ORDER BY e.vector <=> ${vector}::halfvec, m.created_at DESC, m.ulid DESC LIMIT ${query.limit}`,
    values.list,
  )
  return rows.map((row) => row.ulid)
}

/** Follows the index outwards from the query until enough of what it meets is wanted. */
async function throughIndex(
  queries: Queries,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
): Promise<string[]> {
  const { least, perResult, most } = BREADTH
  const breadth = Math.min(most, Math.max(least, query.limit * perResult))
  await queries.script(`SET LOCAL hnsw.ef_search = ${breadth}; SET LOCAL hnsw.iterative_scan = strict_order;
    SET LOCAL hnsw.max_scan_tuples = ${MOST_LOOKED_AT}; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off;
    SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off`)
  const values = new Values()
  const type = `halfvec(${model.dimensions})`
  const vector = values.bind(writeVector(query.vector!))
  const rows = await queries.query<{ ulid: string }>(
    `SELECT m.ulid FROM embeddings e JOIN memories m ON m.embedding_id = e.id
     WHERE e.model = ${model.id} AND ${within(place, values)}${whereConditions(query.where, model.id, values)}
     ORDER BY e.vector::${type} <=> ${vector}::${type} LIMIT ${query.limit}`,
    values.list,
  )
  return rows.map((row) => row.ulid)
}
