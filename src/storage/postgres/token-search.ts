import { COMMON_TOKEN, type SearchQuery } from '../search-query.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { type Place, within } from './scopes.ts'
import type { TokenCounts } from './token-counts.ts'
import { indexed } from './token-index.ts'
import { Values } from './values.ts'
import { whereConditions } from './where.ts'

interface TokenMatches {
  /** Ids of the best. */
  ids: string[]
  frequencies: number[]
}

/** One token of one scope. */
interface Key {
  /** Which of the tokens. */
  i: number
  key: string
}

type ReadablePlace = Place & { readable: readonly number[] }

/**
 * Finds memories by token, and counts those of the scopes that hold each, whatever their state. Common tokens are only counted, and
 * read where there is no rarer one.
 */
export async function searchTokens(
  queries: Queries,
  model: CurrentModel,
  counts: TokenCounts,
  place: ReadablePlace,
  query: SearchQuery,
): Promise<TokenMatches> {
  const { tokens } = query
  const frequencies = tokens.map(() => 0)
  if (tokens.length === 0 || place.readable.length === 0) return { ids: [], frequencies }
  const keys = tokens.flatMap((token, i) => place.readable.map((scope): Key => ({ i, key: indexed(token, scope) })))
  // The tasks of a section are some rows of their scopes: those are counted one by one.
  const whole = place.sections.length === 0
  const common = new Set<number>()
  const unknown: Key[] = []
  for (const each of keys) {
    const n = whole ? counts.known(queries, each.key) : null
    if (n === null) unknown.push(each)
    else {
      frequencies[each.i]! += n
      common.add(each.i)
    }
  }
  const read = await readKeys(queries, model, place, query, unknown, common, whole ? COMMON_TOKEN : null)
  const over = read.counted.filter(({ n }) => whole && n > COMMON_TOKEN).map(({ key }) => key)
  const exact = over.length === 0 ? [] : await counts.count(queries, over)
  const exactly = new Map(over.map((key, i) => [key, exact[i]!]))
  for (const { i, key, n } of read.counted) frequencies[i]! += exactly.get(key) ?? n
  const isRarer = frequencies.some((n) => n > 0 && n <= COMMON_TOKEN)
  if (!whole || isRarer || frequencies.every((n) => n === 0)) return { ids: read.ids, frequencies }
  return { ids: (await readKeys(queries, model, place, query, keys, new Set(), null)).ids, frequencies }
}

/**
 * The best by these keys: one statement, one snapshot. With a bound, of each key no more rows are read than one beyond it, and tokens
 * beyond it do not count.
 */
async function readKeys(
  queries: Queries,
  model: CurrentModel,
  place: ReadablePlace,
  { where, limit }: SearchQuery,
  keys: readonly Key[],
  common: ReadonlySet<number>,
  bound: number | null,
): Promise<{ ids: string[]; counted: (Key & { n: number })[] }> {
  if (keys.length === 0) return { ids: [], counted: [] }
  const values = new Values()
  const asked = `unnest(${values.bind(keys.map(({ key }) => key))}::text[], ${values.bind(keys.map(({ i }) => i))}::int[])`
  // The rows of whole scopes are known by their tokens; those of sections one by one.
  const placed = place.sections.length === 0 ? 'true' : within(place, values)
  const most = bound === null ? '' : ` LIMIT ${bound + 1}`
  const rare = bound === null ? '' : ` HAVING sum(n) <= ${bound} AND i <> ALL (${values.bind([...common])}::int[])`
  // tokenWeight, in SQL. As whole numbers, so that equal sums are equal in whatever order they are added up.
  const weight = `round(1e9 * ln(1 + ${values.bind(place.documents)}::float8 / sum(n)))`
  const rows = await queries.query<{ k: number | null; n: number; ulid: string | null }>(
    `WITH hit AS MATERIALIZED (
       SELECT q.k, q.i, h.* FROM ${asked} WITH ORDINALITY AS q(key, i, k)
       CROSS JOIN LATERAL (SELECT m.ulid, m.created_at, true${whereConditions(where, model.id, values)} AS fits
         FROM memories m WHERE m.tokens @> ARRAY[q.key] AND ${placed}${most}) h),
     f AS MATERIALIZED (SELECT k, i, count(*)::int AS n FROM hit GROUP BY k, i),
     t AS MATERIALIZED (SELECT i, ${weight} AS weight FROM f GROUP BY i${rare}),
     best AS (SELECT hit.ulid FROM hit JOIN t ON t.i = hit.i WHERE hit.fits GROUP BY hit.ulid, hit.created_at
       ORDER BY sum(t.weight) DESC, hit.created_at DESC, hit.ulid DESC LIMIT ${limit})
     SELECT k::int, n, NULL AS ulid FROM f UNION ALL SELECT NULL, 0, ulid FROM best`,
    values.list,
  )
  return {
    ids: rows.flatMap(({ ulid }) => ulid ?? []),
    counted: rows.flatMap(({ k, n }) => (k === null ? [] : [{ ...keys[k - 1]!, n }])),
  }
}
