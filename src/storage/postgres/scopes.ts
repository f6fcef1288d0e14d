import type { Scope, ScopeSelector } from '../../model/layer.ts'
import { type Asked, type FoundScope, type Place, tasksOf, toPlaces, wantedScopes } from '../sql/places.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import { ask, POSTGRES } from './dialect.ts'

/** The most scopes whose numbers a process caches. */
const MOST_KNOWN = 50_000

export function scopeText({ layer, owner, project }: Scope): string {
  return JSON.stringify([layer, owner, project ?? ''])
}

/**
 * The numbers of these scopes in this database; creates missing ones. Call inside a transaction. Scopes are never
 * deleted, so the cache `known` (updated here) stays valid.
 */
export async function scopeKeys(
  queries: Queries,
  scopes: readonly Scope[],
  known: Map<string, number>,
): Promise<Map<string, number>> {
  if (known.size > MOST_KNOWN) known.clear()
  const keys = new Map<string, number>()
  const wanted = new Map<string, object>()
  for (const scope of scopes) {
    const text = scopeText(scope)
    const id = known.get(text)
    if (id === undefined) wanted.set(text, { ...scope, project: scope.project ?? '' })
    else keys.set(text, id)
  }
  if (wanted.size === 0) return keys
  const asked = sql`json_to_recordset(${JSON.stringify([...wanted.values()])}::json) AS w(layer text, owner text, project text)`
  const find = async () => {
    const found = await ask<{ id: number; layer: Scope['layer']; owner: string; project: string }>(
      queries,
      sql`SELECT s.id, s.layer, s.owner, s.project FROM ${asked}
       JOIN scopes s ON s.layer = w.layer AND s.owner = w.owner AND s.project = w.project`,
    )
    for (const scope of found) keys.set(scopeText(scope), scope.id)
    return found
  }
  const found = await find()
  for (const scope of found) known.set(scopeText(scope), scope.id)
  if (found.length === wanted.size) return keys
  await ask(
    queries,
    sql`INSERT INTO scopes (layer, owner, project) SELECT layer, owner, project FROM ${asked}
     ORDER BY layer COLLATE "C", owner COLLATE "C", project COLLATE "C" ON CONFLICT DO NOTHING`,
  )
  // New scopes are not added to `known` before the transaction commits.
  await find()
  return keys
}

/** A place with the scopes whose tokens are looked up, and the count of all that is readable. */
export type ReadablePlace = Place & { readable: readonly number[] }

const COUNT_ALL = raw(`(SELECT coalesce(sum(n), 0)::int FROM counts WHERE what = 'memories')`)
const COUNT_OF = raw(`coalesce((SELECT sum(c.n) FROM counts c WHERE c.what = 'memories' AND c.key = s.id), 0)::int`)

export async function findPlaces(queries: Queries, asked: readonly Asked[]): Promise<Place[]> {
  const wanted = wantedScopes(asked)
  const rows =
    wanted.length === 0
      ? []
      : await ask<FoundScope & { total: number }>(
          queries,
          sql`SELECT DISTINCT w.query, s.id, ${COUNT_OF} AS memories, ${COUNT_ALL} AS total
           FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS w(query int, layer text, owner text, project text)
           JOIN scopes s ON s.layer = w.layer AND (w.owner IS NULL OR s.owner = w.owner)
             AND (w.project IS NULL OR s.project = w.project)`,
        )
  const total = rows[0]?.total ?? (asked.some(({ scopes }) => scopes === null) ? await countAll(queries) : 0)
  return toPlaces(asked, rows, total)
}

/**
 * The place of a search. One statement, plus one if tasks of sections are included. If the place is already `known`
 * with its sections, no query is needed.
 */
export async function findReadable(
  queries: Queries,
  selectors: readonly ScopeSelector[] | null,
  known?: ReadablePlace,
): Promise<ReadablePlace> {
  if (known && known.sections.length > 0) return known
  if (selectors === null) {
    const all = await ask<{ id: number; n: number }>(
      queries,
      sql`SELECT s.id, ${COUNT_OF} AS n FROM scopes s ORDER BY s.id`,
    )
    const total = all.reduce((sum, { n }) => sum + n, 0)
    return { scopes: null, sections: [], documents: total, total, readable: all.map(({ id }) => id) }
  }
  const [place] = await findPlaces(queries, [{ scopes: selectors }])
  const { scopes, sections } = place!
  const others = new Set<number>()
  let { documents } = place!
  for (const section of sections) {
    const own = tasksOf(POSTGRES, section, scopes!)
    const rows = await ask<{ key: number; n: number }>(
      queries,
      sql`SELECT m.scope_key AS key, count(*)::int AS n FROM memories m WHERE ${own} GROUP BY 1`,
    )
    for (const { key, n } of rows) {
      others.add(key)
      documents += n
    }
  }
  return { ...place!, documents, readable: [...scopes!, ...others] }
}

/** Whether both name the same rows, whatever their number. */
export function isSame(a: ReadablePlace, b: ReadablePlace): boolean {
  const others = new Set(b.readable)
  return a === b || (a.readable.length === b.readable.length && a.readable.every((id) => others.has(id)))
}

export function countIn({ scopes, sections, documents }: ReadablePlace): Sql {
  if (scopes === null) return COUNT_ALL
  if (sections.length > 0) return sql`${documents}`
  return sql`(SELECT coalesce(sum(n), 0) FROM counts WHERE what = 'memories' AND key = ANY (${scopes}::int[]))`
}

async function countAll(queries: Queries): Promise<number> {
  return (await ask<{ n: number }>(queries, sql`SELECT ${COUNT_ALL} AS n`))[0]!.n
}
