import type { Scope } from '../../model/layer.ts'
import { type Asked, type FoundScope, type Place, tasksOf, toPlaces, wantedScopes } from '../sql/places.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import { SQLITE } from './dialect.ts'

/** The number of a scope in this file; creates it if missing. Call inside a write transaction. */
export function scopeKey(connection: Connection, { layer, owner, project }: Scope): number {
  const place = [layer, owner, project ?? ''] as const
  const known = connection.get<{ id: number }>(
    'SELECT id FROM scopes WHERE layer = ? AND owner = ? AND project = ?',
    ...place,
  )
  return known?.id ?? connection.run('INSERT INTO scopes (layer, owner, project) VALUES (?, ?, ?)', ...place).id
}

export function findPlaces(connection: Connection, asked: readonly Asked[]): Place[] {
  const wanted = Map.groupBy(wantedScopes(asked), ({ owner }) => owner !== null)
  // Uses the index of scopes, which starts with layer and owner; only a query for all owners reads the whole layer.
  const owned = find(
    connection,
    wanted.get(true),
    `s.owner = j.value ->> 'owner' AND s.project = coalesce(j.value ->> 'project', s.project)`,
  )
  const others = find(connection, wanted.get(false), `s.project = j.value ->> 'project'`)
  const total = asked.some(({ scopes }) => scopes === null) ? countAll(connection) : 0
  return toPlaces(asked, [...owned, ...others], total)
}

function find(connection: Connection, wanted: readonly object[] | undefined, condition: string): FoundScope[] {
  if (!wanted) return []
  return connection.all<FoundScope>(
    `SELECT j.value ->> 'query' AS query, s.id, s.memories FROM json_each(?) j CROSS JOIN scopes s
     ON s.layer = j.value ->> 'layer' AND ${condition}`,
    JSON.stringify(wanted),
  )
}

function countAll(connection: Connection): number {
  return connection.get<{ n: number }>('SELECT coalesce(sum(memories), 0) AS n FROM scopes')!.n
}

/** A place as mutually exclusive conditions, so that reading each in turn returns every memory once. */
export function partsOf({ scopes, sections }: Place): Sql[] {
  if (scopes === null) return [raw('1')]
  return [
    ...scopes.map((key) => sql`m.scope_key = ${key}`),
    ...sections.map((section) => tasksOf(SQLITE, section, scopes)),
  ]
}
