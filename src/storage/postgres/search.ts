import type { StoredMemory } from '../memory-query.ts'
import type { Found, SearchQuery } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { within } from '../sql/places.ts'
import { sql } from '../sql/sql.ts'
import type { SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { POSTGRES } from './dialect.ts'
import { hasUnindexed, indexForeignRows } from './foreign-rows.ts'
import { readStored, toStoredMemory } from './row.ts'
import { findReadable, isSame, type ReadablePlace } from './scopes.ts'
import type { TokenCounts } from './token-counts.ts'
import { readTokens, settleTokens } from './token-search.ts'
import { readNearest, searchExactly } from './vector-search.ts'

const MOST_PLACES = 1000

export interface Searching {
  client: SqlClient
  model: CurrentModel
  counts: TokenCounts
  /** Scopes up to this many memories are compared exactly. */
  exactUpTo: number
  /** The last known places, by selectors. */
  places: Map<string, ReadablePlace>
}

export function search(searching: Searching, asked: readonly SearchQuery[]): Promise<Found[]> {
  return Promise.all(asked.map((query) => find(searching, query)))
}

/**
 * Usually one round trip: scope numbers never change, so it searches the cached place and checks the place in parallel.
 * It only searches again if new scopes were created since, or other programs inserted rows.
 */
async function find(searching: Searching, query: SearchQuery): Promise<Found> {
  const { client, model, counts, exactUpTo, places } = searching
  const key = JSON.stringify(query.scopes)
  let place = places.get(key) ?? (await findReadable(client, query.scopes))
  for (;;) {
    const known = place
    const [isWaiting, now, tokens, near] = await client.reading((queries) =>
      Promise.all([
        query.tokens.length > 0 && hasUnindexed(queries),
        findReadable(queries, query.scopes, known),
        readTokens(queries, model, counts, known, query),
        readNearest(queries, model, known, query, exactUpTo),
      ]),
    )
    place = now
    if (isWaiting) await indexForeignRows(client)
    if (isWaiting || !isSame(now, known)) continue
    remember(places, key, now)
    const { rows, frequencies } = await settleTokens(client, model, counts, now, query, tokens)
    const nearest = near ?? (await searchExactly(client, model, now, query))
    const candidates = new Map<string, StoredMemory>()
    for (const row of [...nearest, ...rows]) candidates.set(String(row.ulid), toStoredMemory(row, model))
    const found = [...candidates.values()]
    const besides = await around(client, model, now, query, found)
    return { candidates: [...found, ...besides], documents: now.documents, frequencies }
  }
}

function remember(places: Searching['places'], key: string, place: ReadablePlace): void {
  // Tasks can change section unnoticed, so these are not cached.
  if (place.sections.length > 0) return
  if (places.size >= MOST_PLACES) places.clear()
  places.set(key, place)
}

async function around(
  client: SqlClient,
  model: CurrentModel,
  place: ReadablePlace,
  query: SearchQuery,
  found: readonly StoredMemory[],
): Promise<StoredMemory[]> {
  const threaded = found.filter(({ memory }) => memory.thread !== null)
  if (!query.around || threaded.length === 0) return []
  const ids = found.map(({ memory }) => memory.id)
  const places = sql`${query.around}::bigint`
  const rows = await readStored(
    client,
    model,
    sql`SELECT DISTINCT m.id FROM memories f
     JOIN memories m ON m.thread_id = f.thread_id AND m.thread_index BETWEEN f.thread_index - ${places} AND f.thread_index + ${places}
     WHERE ${POSTGRES.among('f.ulid', ids)} AND NOT ${POSTGRES.among('m.ulid', ids)}
       AND ${within(POSTGRES, place)}${whereConditions(query.where, POSTGRES, model.id)}`,
  )
  return rows.map((row) => toStoredMemory(row, model))
}
