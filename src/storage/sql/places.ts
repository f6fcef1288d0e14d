import type { OwnedScopes, ProjectAgents, ScopeSelector, SectionTasks } from '../../model/layer.ts'
import type { Dialect } from './conditions.ts'
import { join, raw, type Sql, sql } from './sql.ts'

export interface Place {
  /** Whole scopes; null is every scope. */
  scopes: number[] | null
  /** Memories of the tasks of sections, besides. */
  sections: SectionTasks[]
  /** Memories in the whole scopes, in whatever state. */
  documents: number
  /** Memories in the whole store, where that is known. */
  total: number
}

export interface Asked {
  scopes: readonly ScopeSelector[] | null
}

/** A scope that a query asks for. An owner or a project that is null stands for all of them. */
export interface WantedScope {
  /** Which of the queries asks. */
  query: number
  layer: string
  owner: string | null
  project: string | null
}

/** Sections are not among them: their tasks are found by themselves. */
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

/** The tasks of a section, those in scopes that are read anyway left out, as a condition on `memories m`. */
export function tasksOf(dialect: Dialect, { section, project }: SectionTasks, scopes: readonly number[]): Sql {
  const others = sql`NOT ${dialect.isIn(scopes)}`
  if (section === null) {
    // By the scopes of the project's tasks: an index on sections tells little of those that have none.
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
