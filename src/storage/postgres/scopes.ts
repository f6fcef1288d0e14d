import type { OwnedScopes, ProjectAgents, Scope, ScopeSelector, SectionTasks } from '../../model/layer.ts'
import type { Queries } from './client.ts'
import { Values } from './values.ts'

/** Scopes whose numbers a process keeps. */
const MOST_KNOWN = 50_000

/** Names a scope in a map. */
export function scopeText({ layer, owner, project }: Scope): string {
  return JSON.stringify([layer, owner, project ?? ''])
}

/**
 * The integers that stand for these scopes in this database; makes those that are new. Call inside a transaction. A scope stays for
 * ever, so what a process knows (`known`, added to here) it need not ask again.
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
  const json = JSON.stringify([...wanted.values()])
  const find = async () => {
    const found = await queries.query<{ id: number; layer: Scope['layer']; owner: string; project: string }>(
      `SELECT s.id, s.layer, s.owner, s.project FROM json_to_recordset($1::json) AS w(layer text, owner text, project text)
       JOIN scopes s ON s.layer = w.layer AND s.owner = w.owner AND s.project = w.project`,
      [json],
    )
    for (const scope of found) keys.set(scopeText(scope), scope.id)
    return found
  }
  const found = await find()
  for (const scope of found) known.set(scopeText(scope), scope.id)
  if (found.length === wanted.size) return keys
  await queries.query(
    `INSERT INTO scopes (layer, owner, project)
     SELECT layer, owner, project FROM json_to_recordset($1::json) AS w(layer text, owner text, project text)
     ORDER BY layer COLLATE "C", owner COLLATE "C", project COLLATE "C" ON CONFLICT DO NOTHING`,
    [json],
  )
  // What this transaction has made is not `known` before it is committed.
  await find()
  return keys
}

/** Where a query may look, in terms of this database. */
export interface Place {
  /** Whole scopes; null is every scope. */
  scopes: number[] | null
  /** Memories of the tasks of sections, besides. */
  sections: SectionTasks[]
  /** Memories in the whole scopes, in whatever state. */
  documents: number
  /** Memories in the whole store. */
  total: number
}

/** A place with the scopes whose tokens are looked up, and with all that can be read in it counted. */
export type ReadablePlace = Place & { readable: readonly number[] }

const COUNT_ALL = `(SELECT coalesce(sum(n), 0)::int FROM counts WHERE what = 'memories')`
const COUNT_OF = `(SELECT sum(c.n) FROM counts c WHERE c.what = 'memories' AND c.key = s.id)`

/** Finds the scopes of several queries in one statement. */
export async function findPlaces(
  queries: Queries,
  asked: readonly { scopes: readonly ScopeSelector[] | null }[],
): Promise<Place[]> {
  const wanted = asked.flatMap(({ scopes }, query) =>
    (scopes ?? []).flatMap((selector) => ('section' in selector ? [] : spread(selector, query))),
  )
  const rows =
    wanted.length === 0
      ? []
      : await queries.query<{ query: number; id: number; memories: number; total: number }>(
          `SELECT DISTINCT w.query, s.id, coalesce(${COUNT_OF}, 0)::int AS memories, ${COUNT_ALL} AS total
           FROM json_to_recordset($1::json) AS w(query int, layer text, owner text, project text)
           JOIN scopes s ON s.layer = w.layer AND (w.owner IS NULL OR s.owner = w.owner)
             AND (w.project IS NULL OR s.project = w.project)`,
          [JSON.stringify(wanted)],
        )
  const total = rows[0]?.total ?? (asked.some(({ scopes }) => scopes === null) ? await countAll(queries) : 0)
  const found = Map.groupBy(rows, (row) => row.query)
  return asked.map(({ scopes }, query): Place => {
    if (scopes === null) return { scopes: null, sections: [], documents: total, total }
    const own = found.get(query) ?? []
    return {
      scopes: own.map((row) => row.id),
      sections: distinctSections(scopes),
      documents: own.reduce((sum, row) => sum + row.memories, 0),
      total,
    }
  })
}

/** One entry for each project; a project or owner that is null stands for all of them. */
function spread(selector: OwnedScopes | ProjectAgents, query: number): object[] {
  const { layer } = selector
  if ('agentsOf' in selector) return [{ query, layer, owner: null, project: selector.agentsOf }]
  return (selector.projects ?? [undefined]).map((project) => ({
    query,
    layer,
    owner: selector.owner,
    project: project === undefined ? null : (project ?? ''),
  }))
}

function distinctSections(selectors: readonly ScopeSelector[]): SectionTasks[] {
  const sections = selectors.filter((selector): selector is SectionTasks => 'section' in selector)
  return [...new Map(sections.map((each) => [JSON.stringify([each.section, each.project]), each])).values()]
}

/**
 * The place of a search. Sends one statement, unless tasks of sections are asked for, which have to be looked for themselves. Of a place
 * that was found already (`known`) with its sections, nothing is asked.
 */
export async function findReadable(
  queries: Queries,
  selectors: readonly ScopeSelector[] | null,
  known?: ReadablePlace,
): Promise<ReadablePlace> {
  if (known && known.sections.length > 0) return known
  if (selectors === null) {
    const all = await queries.query<{ id: number; n: number }>(
      `SELECT s.id, coalesce(${COUNT_OF}, 0)::int AS n FROM scopes s ORDER BY s.id`,
    )
    const total = all.reduce((sum, { n }) => sum + n, 0)
    return { scopes: null, sections: [], documents: total, total, readable: all.map(({ id }) => id) }
  }
  const [place] = await findPlaces(queries, [{ scopes: selectors }])
  const { scopes, sections } = place!
  const others = new Set<number>()
  let { documents } = place!
  for (const section of sections) {
    const values = new Values()
    const rows = await queries.query<{ key: number; n: number }>(
      `SELECT m.scope_key AS key, count(*)::int AS n FROM memories m WHERE ${tasksOf(section, scopes!, values)} GROUP BY 1`,
      values.list,
    )
    for (const { key, n } of rows) {
      others.add(key)
      documents += n
    }
  }
  return { ...place!, documents, readable: [...scopes!, ...others] }
}

/** Whether the same rows are meant, however many they are. */
export function isSame(a: ReadablePlace, b: ReadablePlace): boolean {
  const others = new Set(b.readable)
  return a === b || (a.readable.length === b.readable.length && a.readable.every((id) => others.has(id)))
}

/** How many memories a place has, counted by the statement itself. */
export function countIn({ scopes, sections, documents }: ReadablePlace, values: Values): string {
  if (scopes === null) return COUNT_ALL
  if (sections.length > 0) return values.bind(documents)
  return `(SELECT coalesce(sum(n), 0) FROM counts WHERE what = 'memories' AND key = ANY (${values.bind(scopes)}::int[]))`
}

async function countAll(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ n: number }>(`SELECT ${COUNT_ALL} AS n`)
  return row!.n
}

/** The tasks of a section, those in scopes that are read anyway left out, as a condition on `memories m`. */
export function tasksOf({ section, project }: SectionTasks, scopes: readonly number[], values: Values): string {
  const others = `m.scope_key <> ALL (${values.bind(scopes)}::int[])`
  if (section === null) {
    // By the scopes of the project's tasks: the index on sections tells little of those that have none.
    const own = `SELECT s.id FROM scopes s WHERE s.layer = 'task' AND s.project = ${values.bind(project ?? '')}`
    return `m.scope_key IN (${own}) AND m.identifiers ->> 'sectionId' IS NULL AND ${others}`
  }
  return `m.scope = 'task' AND m.identifiers ->> 'sectionId' = ${values.bind(section)}
    AND m.identifiers ->> 'projectId' IS NOT DISTINCT FROM ${values.bind(project)}::text AND ${others}`
}

/** All of a place, as one condition on `memories m`. */
export function within({ scopes, sections }: Place, values: Values): string {
  if (scopes === null) return 'true'
  const parts = [
    `m.scope_key = ANY (${values.bind(scopes)}::int[])`,
    ...sections.map((section) => `(${tasksOf(section, scopes, values)})`),
  ]
  return `(${parts.join(' OR ')})`
}
