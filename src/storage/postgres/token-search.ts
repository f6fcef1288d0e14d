import type { SearchQuery } from '../search-query.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { type Place, within } from './scopes.ts'
import { indexed } from './token-index.ts'
import { Values } from './values.ts'
import { whereConditions } from './where.ts'

interface TokenMatches {
  /** Ids of the best. */
  ids: string[]
  frequencies: number[]
}

/** Finds memories by token, and counts those of the scopes that hold each, whatever their state: one statement, one snapshot. */
export async function searchTokens(
  queries: Queries,
  model: CurrentModel,
  place: Place & { readable: readonly number[] },
  { tokens, where, limit }: SearchQuery,
): Promise<TokenMatches> {
  const frequencies = tokens.map(() => 0)
  if (tokens.length === 0 || place.readable.length === 0) return { ids: [], frequencies }
  const keys = tokens.flatMap((token, i) => place.readable.map((scope) => ({ i, key: indexed(token, scope) })))
  const values = new Values()
  const asked = `unnest(${values.bind(keys.map(({ key }) => key))}::text[], ${values.bind(keys.map(({ i }) => i))}::int[])`
  // The rows of whole scopes are known by their tokens; those of sections one by one.
  const placed = place.sections.length === 0 ? 'true' : within(place, values)
  // tokenWeight, in SQL. Added up in the order of the tokens, so that equal sums are equal to the last bit.
  const weight = `ln(1 + ${values.bind(place.documents)}::float8 / f.n)`
  const rows = await queries.query<{ i: number | null; n: number; ulid: string | null }>(
    `WITH hit AS MATERIALIZED (
       SELECT q.i, h.id FROM ${asked} AS q(key, i)
       CROSS JOIN LATERAL (SELECT m.id FROM memories m WHERE m.tokens @> ARRAY[q.key] AND ${placed}) h),
     f AS MATERIALIZED (SELECT i, count(*)::int AS n FROM hit GROUP BY i),
     weighed AS (SELECT hit.id, sum(${weight} ORDER BY hit.i) AS weight FROM hit JOIN f ON f.i = hit.i GROUP BY hit.id),
     best AS (SELECT m.ulid FROM weighed w JOIN memories m ON m.id = w.id WHERE true${whereConditions(where, model.id, values)}
       ORDER BY w.weight DESC, m.created_at DESC, m.ulid DESC LIMIT ${limit})
     SELECT i, n, NULL AS ulid FROM f UNION ALL SELECT NULL, 0, ulid FROM best`,
    values.list,
  )
  for (const { i, n } of rows) if (i !== null) frequencies[i] = n
  return { ids: rows.flatMap(({ ulid }) => ulid ?? []), frequencies }
}
