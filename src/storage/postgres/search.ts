import type { Found, SearchQuery } from '../search-query.ts'
import type { SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { getMemories } from './memories.ts'
import { findPlaces, type Place, tasksOf, within } from './scopes.ts'
import type { TokenCounts } from './token-counts.ts'
import { searchTokens } from './token-search.ts'
import { Values } from './values.ts'
import { searchVectors } from './vector-search.ts'
import { whereConditions } from './where.ts'

/** A place with all that can be read in it counted, and every scope whose tokens are looked up. */
type ReadablePlace = Place & { readable: readonly number[] }

/** What a handle searches with. */
export interface Searching {
  client: SqlClient
  model: CurrentModel
  counts: TokenCounts
  /** Scopes of up to so many memories are compared one by one. */
  exactUpTo: number
}

export async function search(searching: Searching, asked: readonly SearchQuery[]): Promise<Found[]> {
  const { client } = searching
  const places = await findPlaces(client, asked)
  return Promise.all(asked.map(async (query, i) => find(searching, await readable(client, places[i]!), query)))
}

async function find(searching: Searching, place: ReadablePlace, query: SearchQuery): Promise<Found> {
  const { client, model, counts, exactUpTo } = searching
  const [{ ids, frequencies }, near] = await Promise.all([
    searchTokens(client, model, counts, place, query),
    query.vector === null ? [] : searchVectors(client, model, place, query, exactUpTo),
  ])
  const found = [...new Set([...ids, ...near])]
  const candidates = found.length === 0 ? [] : await getMemories(client, model, found)
  if (query.around && candidates.some(({ memory }) => memory.thread !== null)) {
    const besides = (await around(client, model, place, query, found)).filter((id) => !found.includes(id))
    if (besides.length > 0) candidates.push(...(await getMemories(client, model, besides)))
  }
  return { candidates, documents: place.documents, frequencies }
}

/** The ids of what stands near these in their threads. */
async function around(
  client: SqlClient,
  model: CurrentModel,
  place: Place,
  query: SearchQuery,
  found: readonly string[],
): Promise<string[]> {
  const values = new Values()
  const ids = values.bind(found)
  const places = `${values.bind(query.around)}::bigint`
  const rows = await client.query<{ ulid: string }>(
    `SELECT DISTINCT m.ulid FROM memories f
     JOIN memories m ON m.thread_id = f.thread_id AND m.thread_index BETWEEN f.thread_index - ${places} AND f.thread_index + ${places}
     WHERE f.ulid = ANY (${ids}::text[]) AND ${within(place, values)}${whereConditions(query.where, model.id, values)}`,
    values.list,
  )
  return rows.map((row) => row.ulid)
}

async function readable(client: SqlClient, place: Place): Promise<ReadablePlace> {
  const { scopes, sections } = place
  if (scopes === null) {
    const all = await client.query<{ id: number }>('SELECT id FROM scopes')
    return { ...place, readable: all.map((row) => row.id) }
  }
  const others = new Set<number>()
  let documents = place.documents
  for (const section of sections) {
    const values = new Values()
    const rows = await client.query<{ key: number; n: number }>(
      `SELECT m.scope_key AS key, count(*)::int AS n FROM memories m WHERE ${tasksOf(section, scopes, values)} GROUP BY 1`,
      values.list,
    )
    for (const { key, n } of rows) {
      others.add(key)
      documents += n
    }
  }
  return { ...place, documents, readable: [...scopes, ...others] }
}
