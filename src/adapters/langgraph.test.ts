import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { openMemory } from '../engine/open-memory.ts'
import { NokosuStore } from './langgraph.ts'

let memory: Nokosu
let store: NokosuStore
beforeEach(async () => {
  memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  store = new NokosuStore(memory.as({ projectId: 'shop' }))
  await store.put(['users', 'a/b'], 'k', { text: 'Likes tea', tries: 1 })
  await store.put(['users', 'a/b'], 'k', { text: 'Likes coffee', tries: 3 })
  await store.put(['users', 'c'], 'k', { text: 'Rides a bicycle to work', tries: 5 })
  await store.put(['other', 'users'], 'k', { text: 'Something else' })
})
afterEach(() => memory.shutdown())

const spaces = (items: readonly { namespace: string[] }[]) => items.map(({ namespace }) => namespace.join('|')).sort()

it('reads back what was put last', async () => {
  expect((await store.get(['users', 'a/b'], 'k'))?.value).toEqual({ text: 'Likes coffee', tries: 3 })
  expect(await store.get(['users'], 'k')).toBeNull()
})

it('finds by prefix, by filter and by meaning', async () => {
  expect(spaces(await store.search(['users']))).toEqual(['users|a/b', 'users|c'])
  expect(spaces(await store.search(['users'], { filter: { tries: { $gt: 3 } } }))).toEqual(['users|c'])
  expect(spaces(await store.search(['users'], { limit: 1, offset: 1 }))).toHaveLength(1)
  expect(spaces(await store.search([], { query: 'Who rides a bicycle to work?' }))).toEqual(['users|c'])
})

it('lists namespaces by their beginning and end, with wildcards and a depth', async () => {
  expect(await store.listNamespaces({ prefix: ['users'], maxDepth: 1 })).toEqual([['users']])
  expect(await store.listNamespaces({ suffix: ['users'] })).toEqual([['other', 'users']])
  expect(await store.listNamespaces({ prefix: ['*', 'c'] })).toEqual([['users', 'c']])
})

it('deletes', async () => {
  await store.delete(['users', 'c'], 'k')
  expect(await store.get(['users', 'c'], 'k')).toBeNull()
})
