import type { SQLInputValue } from 'node:sqlite'
import type { OwnedScopes, ProjectAgents, Scope, ScopeSelector, SectionTasks } from '../../model/layer.ts'
import type { Connection } from './connection.ts'

/** The integer that stands for a scope in this file. Creates it when it is new; call inside a write transaction. */
export function scopeKey(connection: Connection, { layer, owner, project }: Scope): number {
  const place = [layer, owner, project ?? ''] as const
  const known = connection.get<{ id: number }>(
    'SELECT id FROM scopes WHERE layer = ? AND owner = ? AND project = ?',
    ...place,
  )
  return known?.id ?? connection.run('INSERT INTO scopes (layer, owner, project) VALUES (?, ?, ?)', ...place).id
}

/** Where a query may look, in terms of this file. */
export interface Place {
  /** Whole scopes; null is every scope. */
  scopes: number[] | null
  /** Memories of the tasks of sections, besides. */
  sections: SectionTasks[]
  /** Memories in the whole scopes, in whatever state. */
  documents: number
}

interface ScopeRow {
  query: number
  id: number
  memories: number
}

/** Finds the scopes of several queries in one statement. */
export function findPlaces(
  connection: Connection,
  queries: readonly { scopes: readonly ScopeSelector[] | null }[],
): Place[] {
  const wanted = queries.flatMap(({ scopes }, query) =>
    (scopes ?? []).flatMap((selector) => ('owner' in selector ? spread(selector, query) : [])),
  )
  const owned =
    wanted.length === 0
      ? []
      : connection.all<ScopeRow>(
          `SELECT DISTINCT j.value ->> 0 AS query, s.id, s.memories FROM json_each(?) j CROSS JOIN scopes s
           ON s.layer = j.value ->> 1 AND s.owner = j.value ->> 2 AND s.project = coalesce(j.value ->> 3, s.project)`,
          JSON.stringify(wanted),
        )
  const found = Map.groupBy([...owned, ...findAgents(connection, queries, owned)], (row) => row.query)
  return queries.map(({ scopes }, query): Place => {
    if (scopes === null) return { scopes: null, sections: [], documents: countAll(connection) }
    const rows = found.get(query) ?? []
    return {
      scopes: rows.map((row) => row.id),
      sections: distinctSections(scopes),
      documents: rows.reduce((sum, row) => sum + row.memories, 0),
    }
  })
}

/** The scopes of a project's agents, tasks or sections, those left out that are read anyway. */
function findAgents(
  connection: Connection,
  queries: readonly { scopes: readonly ScopeSelector[] | null }[],
  owned: readonly ScopeRow[],
): ScopeRow[] {
  const wanted = queries.flatMap(({ scopes }, query) =>
    (scopes ?? [])
      .filter((selector): selector is ProjectAgents => 'agentsOf' in selector)
      .map(({ layer, agentsOf }) => [query, agentsOf, layer]),
  )
  if (wanted.length === 0) return []
  const known = new Set(owned.map(({ query, id }) => `${query} ${id}`))
  return connection
    .all<ScopeRow>(
      `SELECT DISTINCT j.value ->> 0 AS query, s.id, s.memories FROM json_each(?) j CROSS JOIN scopes s
       ON s.layer = j.value ->> 2 AND s.project = j.value ->> 1`,
      JSON.stringify(wanted),
    )
    .filter(({ query, id }) => !known.has(`${query} ${id}`))
}

/** One entry for each project; null stands for all of them. */
function spread({ layer, owner, projects }: OwnedScopes, query: number): unknown[][] {
  return (projects ?? [undefined]).map((project) => [
    query,
    layer,
    owner,
    project === undefined ? null : (project ?? ''),
  ])
}

function distinctSections(selectors: readonly ScopeSelector[]): SectionTasks[] {
  const sections = selectors.filter((selector): selector is SectionTasks => 'section' in selector)
  return [...new Map(sections.map((each) => [JSON.stringify([each.section, each.project]), each])).values()]
}

function countAll(connection: Connection): number {
  return connection.get<{ n: number }>('SELECT coalesce(sum(memories), 0) AS n FROM scopes')!.n
}

/** A piece of SQL over `memories m` with the values it binds. */
export interface SqlCondition {
  sql: string
  values: SQLInputValue[]
}

/** A place as conditions that exclude each other: whoever reads with each of them in turn sees every memory once. */
export function partsOf({ scopes, sections }: Place): SqlCondition[] {
  if (scopes === null) return [{ sql: '1', values: [] }]
  const whole = scopes.map((key) => ({ sql: 'm.scope_key = ?', values: [key] }))
  return [...whole, ...sections.map((section) => tasksOf(section, scopes))]
}

/** The tasks of a section, those in other scopes that are read anyway left out. */
export function tasksOf({ section, project }: SectionTasks, scopes: readonly number[]): SqlCondition {
  const others = 'm.scope_key NOT IN (SELECT value FROM json_each(?))'
  if (section === null) {
    // By the scopes of the project's tasks: the index on sections has no row without one.
    return {
      sql: `m.scope_key IN (SELECT id FROM scopes WHERE layer = 'task' AND project = ?)
      AND m.identifiers ->> 'sectionId' IS NULL AND ${others}`,
      values: [project ?? '', JSON.stringify(scopes)],
    }
  }
  return {
    sql: `m.scope = 'task' AND m.identifiers ->> 'sectionId' = ? AND m.identifiers ->> 'projectId' IS ? AND ${others}`,
    values: [section, project, JSON.stringify(scopes)],
  }
}
