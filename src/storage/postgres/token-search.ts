import { COMMON_TOKEN, type SearchQuery } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { within } from '../sql/places.ts'
import { raw, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { ask, POSTGRES } from './dialect.ts'
import { SELECT_MEMORY, type StoredRow, selectVector } from './row.ts'
import { countIn, type ReadablePlace } from './scopes.ts'
import type { TokenCounts } from './token-counts.ts'
import { indexed } from './token-index.ts'

interface Key {
  i: number
  key: string
}

interface TokensRead {
  /** The best by tokens that are not common. */
  rows: StoredRow[]
  /** How many memories contain each key, capped at one more than `COMMON_TOKEN`. */
  counted: (Key & { n: number })[]
  /** Cached counts of common tokens. */
  known: readonly { i: number; n: number }[]
}

/**
 * Sends the queries that find memories by token and count, per scope, the memories with each token in any state. Common
 * tokens are only counted.
 */
export async function readTokens(
  queries: Queries,
  model: CurrentModel,
  counts: TokenCounts,
  place: ReadablePlace,
  query: SearchQuery,
): Promise<TokensRead> {
  const known: { i: number; n: number }[] = []
  const unknown: Key[] = []
  for (const each of keysOf(place, query)) {
    const n = isWhole(place) ? counts.known(each.key) : null
    if (n === null) unknown.push(each)
    else known.push({ i: each.i, n })
  }
  const common = new Set(known.map(({ i }) => i))
  const read = await readKeys(queries, model, place, query, unknown, common, isWhole(place) ? COMMON_TOKEN : null)
  return { ...read, known }
}

/** Counts common tokens exactly, and reads them if there is no rarer one. */
export async function settleTokens(
  queries: Queries,
  model: CurrentModel,
  counts: TokenCounts,
  place: ReadablePlace,
  query: SearchQuery,
  read: TokensRead,
): Promise<{ rows: StoredRow[]; frequencies: number[] }> {
  const over = read.counted.filter(({ n }) => isWhole(place) && n > COMMON_TOKEN).map(({ key }) => key)
  const exact = over.length === 0 ? [] : await counts.count(queries, over)
  const exactly = new Map(over.map((key, i) => [key, exact[i]!]))
  const frequencies = query.tokens.map(() => 0)
  for (const { i, n } of read.known) frequencies[i]! += n
  for (const { i, key, n } of read.counted) frequencies[i]! += exactly.get(key) ?? n
  counts.refresh(
    queries,
    keysOf(place, query).map(({ key }) => key),
  )
  const isRarer = frequencies.some((n) => n > 0 && n <= COMMON_TOKEN)
  if (!isWhole(place) || isRarer || frequencies.every((n) => n === 0)) return { rows: read.rows, frequencies }
  const { rows } = await readKeys(queries, model, place, query, keysOf(place, query), new Set(), null)
  return { rows, frequencies }
}

function keysOf(place: ReadablePlace, { tokens }: SearchQuery): Key[] {
  return tokens.flatMap((token, i) => place.readable.map((scope): Key => ({ i, key: indexed(token, scope) })))
}

/** The tasks of a section are only some rows of their scopes, so they are counted individually. */
function isWhole({ sections }: ReadablePlace): boolean {
  return sections.length === 0
}

/**
 * The best by these keys, in one statement and snapshot. With a bound, at most one row more than it is read per key,
 * and tokens above it do not count.
 */
async function readKeys(
  queries: Queries,
  model: CurrentModel,
  place: ReadablePlace,
  { where, limit }: SearchQuery,
  keys: readonly Key[],
  common: ReadonlySet<number>,
  bound: number | null,
): Promise<Pick<TokensRead, 'rows' | 'counted'>> {
  if (keys.length === 0) return { rows: [], counted: [] }
  const asked = sql`unnest(${keys.map(({ key }) => key)}::text[], ${keys.map(({ i }) => i)}::int[])`
  // Rows of whole scopes are found by their tokens; those of sections need a condition.
  const placed = isWhole(place) ? raw('true') : within(POSTGRES, place)
  const most = raw(bound === null ? '' : ` LIMIT ${bound + 1}`)
  const rare = bound === null ? raw('') : sql` HAVING sum(n) <= ${raw(bound)} AND i <> ALL (${[...common]}::int[])`
  // tokenWeight in SQL. As integers, so that sums do not depend on the order of addition.
  const weight = sql`round(1e9 * ln(1 + ${countIn(place)}::float8 / sum(n)))`
  const rows = await ask<StoredRow & { counted: [number, number][] | null }>(
    queries,
    sql`WITH hit AS MATERIALIZED (
       SELECT q.k, q.i, h.* FROM ${asked} WITH ORDINALITY AS q(key, i, k)
       CROSS JOIN LATERAL (SELECT m.id, m.ulid, m.created_at, true${whereConditions(where, POSTGRES, model.id)} AS fits
         FROM memories m WHERE m.tokens @> ARRAY[q.key] AND ${placed}${most}) h),
     f AS MATERIALIZED (SELECT k, i, count(*)::int AS n FROM hit GROUP BY k, i),
     t AS MATERIALIZED (SELECT i, ${weight} AS weight FROM f GROUP BY i${rare}),
     best AS MATERIALIZED (SELECT id, row_number() OVER () AS place FROM (
       SELECT hit.id FROM hit JOIN t ON t.i = hit.i WHERE hit.fits GROUP BY hit.id, hit.created_at, hit.ulid
       ORDER BY sum(t.weight) DESC, hit.created_at DESC, hit.ulid DESC LIMIT ${raw(limit)}) b)
     SELECT CASE WHEN coalesce(best.place, 1) = 1 THEN c.counted END AS counted, ${SELECT_MEMORY}, ${selectVector(model)}
     FROM (SELECT json_agg(json_build_array(k, n)) AS counted FROM f) c LEFT JOIN best ON true LEFT JOIN memories m ON m.id = best.id`,
  )
  const counted = rows.flatMap((row) => row.counted ?? [])
  return { rows: rows.filter(({ ulid }) => ulid !== null), counted: counted.map(([k, n]) => ({ ...keys[k - 1]!, n })) }
}
