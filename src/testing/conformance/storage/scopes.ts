import { expect } from 'vitest'
import { type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER, type ScopeSelector } from '../../../model/layer.ts'
import type { Write } from '../../../storage/commit.ts'
import { group } from '../group.ts'
import { insert, numberOf, numbers, query, question, vectorFor, write } from './writing.ts'

/** Where each memory is stored. Owners and projects share names, so that a scope that is too wide by one is noticed. */
const PLACES: [number, Layer, Identifiers][] = [
  [1, 'agent', { agentId: 'x', projectId: 'A' }],
  [2, 'agent', { agentId: 'x', projectId: 'B' }],
  [3, 'agent', { agentId: 'x' }],
  [4, 'agent', { agentId: 'y', projectId: 'A' }],
  [5, 'user', { userId: 'x', projectId: 'A' }],
  [6, 'user', { userId: 'y' }],
  [7, 'task', { taskId: 'x', projectId: 'A', sectionId: 's' }],
  [8, 'task', { taskId: 'x', projectId: 'B', sectionId: 's' }],
  [9, 'task', { taskId: 'y', projectId: 'A', sectionId: 's' }],
  [10, 'task', { taskId: 'z', sectionId: 's' }],
  [11, 'task', { taskId: 'z', projectId: 'A', sectionId: 't' }],
  [12, 'task', { taskId: 'z', projectId: 'A' }],
  [13, 'section', { sectionId: 's', projectId: 'A' }],
  [14, 'project', { projectId: 'A', sectionId: 's', taskId: 'x' }],
  [15, 'project', { projectId: 'x' }],
  [16, 'company', { companyId: 'x', projectId: 'A' }],
  [17, 'session', { sessionId: 'x' }],
  [18, 'agent', { agentId: 'X', projectId: 'A' }],
  [19, 'agent', { agentId: 'x#A' }],
  [20, 'agent', { agentId: 'が', projectId: 'ё' }],
  [21, 'agent', { agentId: 'か', projectId: 'е' }],
  [22, 'agent', { agentId: 'a#b', projectId: 'c' }],
  [23, 'agent', { agentId: 'a', projectId: 'b#c' }],
  [24, 'agent', { agentId: '@user#a' }],
  [25, 'agent', { agentId: 'a"b', projectId: "c'd" }],
]

const owned = (layer: Layer, owner: string, ...projects: (string | null)[]): ScopeSelector => ({
  layer,
  owner,
  projects,
})
const agentsOf = (project: string): ScopeSelector => ({ layer: 'agent', agentsOf: project })
const tasksOf = (section: string | null, project: string | null): ScopeSelector => ({ layer: 'task', section, project })

const SELECTIONS: { title: string; scopes: ScopeSelector[] | null; selects: number[] }[] = [
  { title: 'the whole store', scopes: null, selects: PLACES.map(([number]) => number) },
  { title: 'no scope', scopes: [], selects: [] },
  { title: 'one project of an agent', scopes: [owned('agent', 'x', 'A')], selects: [1] },
  { title: 'no project of an agent', scopes: [owned('agent', 'x', null)], selects: [3] },
  { title: 'a project and none', scopes: [owned('agent', 'x', 'A', null)], selects: [1, 3] },
  { title: 'two projects', scopes: [owned('agent', 'x', 'B', 'A')], selects: [1, 2] },
  { title: 'no projects at all', scopes: [owned('agent', 'x')], selects: [] },
  { title: 'every project', scopes: [{ layer: 'task', owner: 'x', projects: null }], selects: [7, 8] },
  { title: 'a user, whatever its project', scopes: [owned('user', 'x', null)], selects: [5] },
  { title: 'a user of a project is nobody', scopes: [owned('user', 'x', 'A')], selects: [] },
  { title: 'an unknown owner', scopes: [owned('user', 'z', null)], selects: [] },
  { title: 'several scopes', scopes: [owned('project', 'A', null), owned('company', 'x', null)], selects: [14, 16] },
  {
    title: 'a scope that is given twice',
    scopes: [owned('section', 's', 'A'), owned('section', 's', 'A', null)],
    selects: [13],
  },
  { title: 'the tasks of a section', scopes: [tasksOf('s', 'A')], selects: [7, 9] },
  { title: 'the tasks of a section of another project', scopes: [tasksOf('s', 'B')], selects: [8] },
  { title: 'the tasks of a section without a project', scopes: [tasksOf('s', null)], selects: [10] },
  { title: 'the tasks of no section', scopes: [tasksOf(null, 'A')], selects: [12] },
  { title: 'the tasks of an unknown section', scopes: [tasksOf('u', 'A')], selects: [] },
  {
    title: 'tasks and their section',
    scopes: [tasksOf('s', 'A'), owned('task', 'x', 'A'), owned('section', 's', 'A')],
    selects: [7, 9, 13],
  },
  { title: 'the agents of a project', scopes: [agentsOf('A')], selects: [1, 4, 18] },
  { title: 'the agents of another project', scopes: [agentsOf('B')], selects: [2] },
  { title: 'the agents of an unknown project', scopes: [agentsOf('x')], selects: [] },
  { title: 'the sections of a project', scopes: [{ layer: 'section', agentsOf: 'A' }], selects: [13] },
  {
    title: 'a project, its agents, and one of them',
    scopes: [agentsOf('A'), owned('agent', 'x', 'A', null), owned('project', 'A', null)],
    selects: [1, 3, 4, 14, 18],
  },
  { title: 'case and look-alikes', scopes: [owned('agent', 'X', 'A'), owned('agent', 'か', 'ё')], selects: [18] },
  { title: 'other scripts', scopes: [owned('agent', 'が', 'ё')], selects: [20] },
  { title: 'separators in an owner', scopes: [owned('agent', 'a#b', 'c')], selects: [22] },
  { title: 'separators in a project', scopes: [owned('agent', 'a', 'b#c')], selects: [23] },
  {
    title: 'what looks like a key',
    scopes: [owned('agent', '@user#a', null), owned('user', 'a', null)],
    selects: [24],
  },
  { title: 'quotes', scopes: [owned('agent', 'a"b', "c'd")], selects: [25] },
  {
    title: 'patterns',
    scopes: [owned('agent', '%', 'A'), owned('agent', '_', 'A', null), owned('agent', '*', 'A')],
    selects: [],
  },
]

function places(): Write[] {
  return PLACES.map(([number, layer, identifiers]) =>
    insert(number, { layer, identifiers }, { tokens: ['every', `number${number}`], text: `text ${number}` }),
  )
}

export const scopeCases = group('scopes', (it) => {
  it('memories returns exactly each selection of scopes', async (store) => {
    const storage = await store.storage()
    await write(storage, places())
    for (const { title, scopes, selects } of SELECTIONS) {
      expect(await numbers(storage, { scopes, order: 'oldest' }), title).toEqual(selects)
      const { totalCount } = await storage.memories(query({ scopes, limit: 1 }))
      expect(totalCount, title).toBe(selects.length)
      for (const order of ['newest', 'confidence', 'importance'] as const) {
        expect(await numbers(storage, { scopes, order }), `${title}, ${order}`).toEqual(selects.toReversed())
      }
    }
  })

  it('search returns exactly those, by token and by vector, and so do documents and frequencies', async (store) => {
    const storage = await store.storage()
    const { keywordSearch, vectorSearch } = storage.capabilities
    await write(storage, places())
    for (const { title, scopes, selects } of SELECTIONS) {
      const [byToken] = await storage.search([question({ scopes, tokens: keywordSearch ? ['every', 'number7'] : [] })])
      expect(byToken!.documents, title).toBe(selects.length)
      const found = ({ candidates }: NonNullable<typeof byToken>) =>
        candidates.map(({ memory }) => numberOf(memory.id)).sort((a, b) => a - b)
      if (keywordSearch) {
        expect(found(byToken!), title).toEqual(selects)
        expect(byToken!.frequencies, title).toEqual([selects.length, selects.includes(7) ? 1 : 0])
      }
      if (!vectorSearch) continue
      const [byVector] = await storage.search([question({ scopes, vector: vectorFor('question') })])
      expect(found(byVector!), title).toEqual(selects)
    }
  })

  it('nine layers with one owner are nine scopes', async (store) => {
    const storage = await store.storage()
    const inserts = LAYERS.map((layer, i) => insert(i, { layer, identifiers: { [REQUIRED_IDENTIFIER[layer]]: 'x' } }))
    await write(storage, inserts)
    for (const [i, layer] of LAYERS.entries()) {
      expect(await numbers(storage, { scopes: [owned(layer, 'x', null)] }), layer).toEqual([i])
    }
  })
})
