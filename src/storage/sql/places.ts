import type { OwnedScopes, ProjectAgents, ScopeSelector, SectionTasks } from '../../model/layer.ts'
import type { Dialect } from './conditions.ts'
import { join, raw, type Sql, sql } from './sql.ts'

export interface Place {
  /** Whole scopes; null for all scopes. */
  scopes: number[] | null
  /** Additional memories: those of the tasks of sections. */
  sections: SectionTasks[]
  /** Number of memories in the whole scopes, in any state. */
  documents: number
  /** Number of memories in the whole store, if known. */
  total: number
}

export interface Asked {
  scopes: readonly ScopeSelector[] | null
}

/** A scope in a query. A null owner or project matches all. */
export interface WantedScope {
  /** The index of the query. */
  query: number
  layer: string
  owner: string | null
  project: string | null
}

/** Sections are left out: their tasks are looked up separately. */
export function wantedScopes(asked: readonly Asked[]): WantedScope[] {
  return asked.flatMap(({ scopes }, query) =>
    (scopes ?? []).flatMap((selector) => ('section' in selector ? [] : spread(selector, query))),
  )
}

function spread(selector: OwnedScopes | ProjectAgents, query: number): WantedScope[] {
  const { layer } = selector
  if ('agentsOf' in selector) return [{ query, layer, owner: null, project: selector.agentsOf }]
  const { owner, projects } = selector
  return (projects ?? [undefined]).map((project) => ({
    query,
    layer,
    owner,
    project: project === undefined ? null : (project ?? ''),
  }))
}

export interface FoundScope {
  query: number
  id: number
  memories: number
}

export function toPlaces(asked: readonly Asked[], found: readonly FoundScope[], total: number): Place[] {
  const byQuery = Map.groupBy(found, (scope) => scope.query)
  return asked.map(({ scopes }, query): Place => {
    if (scopes === null) return { scopes: null, sections: [], documents: total, total }
    const own = new Map((byQuery.get(query) ?? []).map((scope) => [scope.id, scope.memories]))
    const documents = [...own.values()].reduce((sum, memories) => sum + memories, 0)
    return { scopes: [...own.keys()], sections: distinctSections(scopes), documents, total }
  })
}

function distinctSections(selectors: readonly ScopeSelector[]): SectionTasks[] {
  const sections = selectors.filter((selector): selector is SectionTasks => 'section' in selector)
  return [...new Map(sections.map((each) => [JSON.stringify([each.section, each.project]), each])).values()]
}

/** The tasks of a section, as a condition on `memories m`, without the scopes that are read anyway. */
export function tasksOf(dialect: Dialect, { section, project }: SectionTasks, scopes: readonly number[]): Sql {
  const others = sql`NOT ${dialect.isIn(scopes)}`
  if (section === null) {
    // By the scopes of the project's tasks: an index on sections is not selective for tasks without one.
    const own = sql`SELECT s.id FROM scopes s WHERE s.layer = 'task' AND s.project = ${project ?? ''}`
    return sql`m.scope_key IN (${own}) AND m.identifiers ->> 'sectionId' IS NULL AND ${others}`
  }
  return sql`m.scope = 'task' AND m.identifiers ->> 'sectionId' = ${section}
    AND ${dialect.isSame(`m.identifiers ->> 'projectId'`, project)} AND ${others}`
}

export function within(dialect: Dialect, { scopes, sections }: Place): Sql {
  if (scopes === null) return raw('1 = 1')
  const tasks = sections.map((section) => sql`(${tasksOf(dialect, section, scopes)})`)
  return sql`(${join([dialect.isIn(scopes), ...tasks], ' OR ')})`
}
