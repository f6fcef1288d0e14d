import type { OwnedScopes, ScopeSelector } from '../../../src/model/layer.ts'
import { LAYERS } from '../../../src/model/layer.ts'
import { type BrokenBackend, broken } from './broken-backend.ts'

type Selectors = readonly ScopeSelector[] | null

/** Scopes that `memories` and `search` misread. */
function misread(title: string, change: (scopes: Selectors) => Selectors): BrokenBackend {
  return broken(title, (right) => ({
    memories: (query) => right.memories({ ...query, scopes: change(query.scopes) }),
    search: (queries) => right.search(queries.map((query) => ({ ...query, scopes: change(query.scopes) }))),
  }))
}

/** Misreads each owner selector. */
function owned(title: string, change: (selector: OwnedScopes) => ScopeSelector[]): BrokenBackend {
  return misread(title, (scopes) =>
    scopes === null ? null : scopes.flatMap((each) => ('owner' in each ? change(each) : [each])),
  )
}

export const SCOPES: BrokenBackend[] = [
  misread('scopes are ignored', () => null),
  misread('no scope is the whole store', (scopes) => (scopes?.length === 0 ? null : scopes)),
  misread('of several scopes the first one counts', (scopes) => scopes?.slice(0, 1) ?? null),
  owned('what belongs to no project is always seen', (each) => [
    { ...each, projects: each.projects && [...each.projects, null] },
  ]),
  owned('what belongs to no project is never seen', (each) => [
    { ...each, projects: each.projects?.filter((project) => project !== null) ?? null },
  ]),
  owned('a project shows those of others too', (each) => [{ ...each, projects: null }]),
  owned('every project is read as none', (each) => [{ ...each, projects: each.projects ?? [null] }]),
  owned('an owner of another layer is seen', (each) => LAYERS.map((layer) => ({ ...each, layer }))),
  owned('owners are compared without case', (each) => [
    each,
    { ...each, owner: each.owner.toUpperCase() },
    { ...each, owner: each.owner.toLowerCase() },
  ]),
  misread('the tasks of a section are those of all projects', (scopes) =>
    scopes === null
      ? null
      : scopes.flatMap((each): ScopeSelector[] =>
          'section' in each ? ['A', 'B', null].map((project) => ({ ...each, project })) : [each],
        ),
  ),
  misread('the tasks of a section are not found', (scopes) => scopes?.filter((each) => !('section' in each)) ?? null),
  misread('the agents of a project are not found', (scopes) => scopes?.filter((each) => !('agentsOf' in each)) ?? null),
  misread('the agents of a project are those of all projects', (scopes) =>
    scopes === null
      ? null
      : scopes.flatMap((each): ScopeSelector[] =>
          'agentsOf' in each ? ['A', 'B'].map((agentsOf) => ({ ...each, agentsOf })) : [each],
        ),
  ),
  broken('search reads the whole store', (right) => ({
    search: (queries) => right.search(queries.map((query) => ({ ...query, scopes: null }))),
  })),
]
