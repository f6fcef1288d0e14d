import type { Scope, ScopeSelector } from '../../model/layer.ts'
import type { Connection } from './connection.ts'

/** The integer that stands for a scope in this file. Creates it when it is new; call inside a write transaction. */
export function scopeKey(connection: Connection, { layer, owner, project }: Scope): number {
  const find = () =>
    connection.get<{ id: number }>(
      'SELECT id FROM scopes WHERE layer = ? AND owner = ? AND project = ?',
      layer,
      owner,
      project ?? '',
    )?.id
  return (
    find() ??
    connection.run('INSERT INTO scopes (layer, owner, project) VALUES (?, ?, ?)', layer, owner, project ?? '').id
  )
}

/** The scopes in this file that a selector reaches. */
export function selectScopes(connection: Connection, { layer, owner, projects }: ScopeSelector): number[] {
  const inProjects = projects === null ? '' : ' AND project IN (SELECT value FROM json_each(?))'
  const values = projects === null ? [] : [JSON.stringify(projects.map((project) => project ?? ''))]
  return connection
    .all<{ id: number }>(`SELECT id FROM scopes WHERE layer = ? AND owner = ?${inProjects}`, layer, owner, ...values)
    .map((row) => row.id)
}
