import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { ScopeSelector } from '../../src/model/layer.ts'
import type { Memory } from '../../src/model/memory.ts'
import { COMMON_TOKEN, type SearchQuery } from '../../src/storage/search-query.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { type DirectStore, projectScope } from '../stress/direct-store.ts'
import { query, writeFile } from '../stress/older-files.ts'
import { openForTest } from '../stress/open-for-test.ts'

const newPath = () => join(scratchFolder(), 'memory.db')

async function find(store: DirectStore, request: Partial<SearchQuery>) {
  const blank = { scopes: [projectScope('p')], where: {}, vector: null, tokens: [], limit: 10 }
  const [found] = await store.storage.search([{ ...blank, ...request }])
  return { ...found!, contents: found!.candidates.map(({ memory }) => memory.content).sort() }
}

test('a search by vector sees what is visible at the time it is asked for, earlier and later ones too', async () => {
  const store = await openForTest(newPath())
  const until = { category: 'hint', expiresAt: '2030-01-04T00:00:00.000Z' } as const
  await store.add(['amber one'], 'p', until)
  await store.add(['amber two'], 'p', { category: 'hint' })
  await store.add(['amber three'], 'p', { category: 'hint', active: false })
  const vector = (await store.storage.memories(PAGE)).items[0]!.vector!
  const at = async (visibleAt?: string) =>
    (await find(store, { vector, where: visibleAt === undefined ? {} : { visibleAt } })).contents
  const both = ['amber one', 'amber two']
  expect(await at('2030-01-01T00:00:00.000Z')).toEqual(both)
  expect(await at('2030-01-03T23:59:59.999Z')).toEqual(both)
  expect(await at('2030-01-04T00:00:00.000Z')).toEqual(['amber two'])
  expect(await at('2031-01-01T00:00:00.000Z')).toEqual(['amber two'])
  expect(await at('2029-01-01T00:00:00.000Z')).toEqual(both)
  expect(await at()).toEqual(['amber one', 'amber three', 'amber two'])
})

const PAGE = {
  scopes: null,
  where: {},
  order: 'newest',
  limit: 10,
  after: null,
  count: false,
  vectors: true,
} as const

test('what one search has read, the next sees anew once anybody has written: this handle, another, or plain SQL', async () => {
  const path = newPath()
  const store = await openForTest(path)
  const other = await openForTest(path)
  const sql = new DatabaseSync(path)
  onTestFinished(() => sql.close())
  const [memory] = await store.add(['amber basil'], 'p')
  const recalls = async (reader: DirectStore) =>
    (await find(reader, { tokens: ['amber'] })).candidates.map((candidate) => candidate.memory.recallCount)
  const show = (writer: DirectStore, id: string) => {
    const at = '2026-01-01T00:00:00.000Z'
    const injection = { id, session: 's', memory: memory!.id, position: 0, tokens: 1, format: 'f', at }
    return writer.commit([{ kind: 'injection', recall: true, injection }])
  }
  expect([await recalls(store), await recalls(other)]).toEqual([[0], [0]])
  await show(store, 'i1')
  expect([await recalls(store), await recalls(other)]).toEqual([[1], [1]])
  await show(other, 'i2')
  expect([await recalls(store), await recalls(other)]).toEqual([[2], [2]])
  sql.exec('UPDATE memories SET recall_count = 7')
  expect([await recalls(store), await recalls(other)]).toEqual([[7], [7]])
  await other.update(memory!.id, { content: 'cedar' })
  expect([await recalls(store), await recalls(other)]).toEqual([[], []])
  sql.exec(`UPDATE memories SET observation = 'amber again'`)
  expect([await recalls(store), await recalls(other)]).toEqual([[7], [7]])
})

test('what a search returned may be changed: the next one does not see it', async () => {
  const store = await openForTest(newPath())
  await store.add(['amber'], 'p', { tags: ['t'], metadata: { deep: { n: 1 } }, thread: { id: 't', index: 0 } })
  const first = await find(store, { tokens: ['amber'] })
  const before = structuredClone(first.candidates[0]!.memory)
  const { memory } = first.candidates[0]!
  memory.tags.push('x')
  ;(memory.metadata.deep as { n: number }).n = 2
  memory.identifiers.projectId = 'q'
  memory.thread!.index = 5
  memory.content = 'other'
  expect((await find(store, { tokens: ['amber'] })).candidates[0]!.memory).toEqual(before)
})

test('a token that more than COMMON_TOKEN memories hold is counted, and read only where no rarer one is asked for', async () => {
  const store = await openForTest(newPath(), { dimensions: 16 })
  const count = COMMON_TOKEN + 1
  for (let start = 0; start < count; start += 1000) {
    const length = Math.min(1000, count - start)
    await store.add(
      Array.from({ length }, (_, i) => `common w${start + i}`),
      'p',
    )
  }
  const rare = await find(store, { tokens: ['common', 'w7'] })
  expect([rare.documents, rare.frequencies]).toEqual([count, [count, 1]])
  expect(rare.contents).toContain('common w7')
  const only = await find(store, { tokens: ['common', 'nowhere'], limit: 3 })
  expect(only.frequencies).toEqual([count, 0])
  expect(only.candidates).toHaveLength(3)
})

test('tokens of any characters are found as they are, and no other', async () => {
  const store = await openForTest(newPath())
  const [{ id, ...rest }] = (await store.add(['x'], 'p')) as [Memory]
  const tokens = ['a"b', 'a b', 'A', 'a_1', 'a~20~b', '*', 'ё', '日本', '서버', '🚀', 'NOT', '-', "'", '\u00e9']
  const memory = { ...rest, id, version: 2 }
  const row = { memory, visibleUntil: '9999-12-31T23:59:59.999Z', tokens }
  expect(await store.commit([{ kind: 'update', row }])).toMatchObject({ applied: true })
  for (const token of tokens) {
    for (const scopes of [[projectScope('p')], null]) {
      expect([token, (await find(store, { scopes, tokens: [token] })).frequencies]).toEqual([token, [1]])
    }
  }
  for (const token of ['x', 'a', 'b', '20', '1', 'е', '日', '_', 'a_', 'not', 'e']) {
    for (const scopes of [[projectScope('p')], null]) {
      expect([token, (await find(store, { scopes, tokens: [token] })).frequencies]).toEqual([token, [0]])
    }
  }
})

test('the tasks of a section are searched besides whole scopes, each memory once', async () => {
  const store = await openForTest(newPath())
  const task = (taskId: string, more: object): Partial<Memory> => ({
    layer: 'task',
    identifiers: { taskId, ...more },
  })
  await store.add(['amber in'], 'p', task('t1', { sectionId: 's', projectId: 'p' }))
  await store.add(['amber in too'], 'p', task('t2', { sectionId: 's', projectId: 'p' }))
  await store.add(['amber same task, no section'], 'p', task('t2', { projectId: 'p' }))
  await store.add(['amber other project'], 'p', task('t3', { sectionId: 's', projectId: 'q' }))
  const section: ScopeSelector = { layer: 'task', section: 's', project: 'p' }
  const whole: ScopeSelector = { layer: 'task', owner: 't2', projects: ['p'] }
  const vector = (await store.storage.memories(PAGE)).items[0]!.vector!
  for (const request of [{ tokens: ['amber'] }, { vector }, { tokens: ['amber'], vector }]) {
    const tasks = await find(store, { ...request, scopes: [section, section] })
    expect([tasks.contents, tasks.documents]).toEqual([['amber in', 'amber in too'], 2])
    const both = await find(store, { ...request, scopes: [section, whole] })
    expect([both.contents, both.documents]).toEqual([['amber in', 'amber in too', 'amber same task, no section'], 3])
    expect(both.frequencies).toEqual(request.tokens ? [3] : [])
  }
})

test('the newest 20,000 commits are remembered, and no more', async () => {
  const path = newPath()
  const store = await openForTest(path)
  const commit = (key: string) =>
    store.storage.commit({ key, at: '2026-01-01T00:00:00.000Z', by: 'test', writes: [], note: key })
  await commit('first')
  writeFile(
    path,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19998)
     INSERT INTO commit_keys (key, changed) SELECT 'k' || i, 0 FROM n`,
  )
  await commit('second')
  expect(await commit('first')).toEqual({ applied: true, repeated: true, changed: 0, note: 'first' })
  await commit('third')
  expect(query(path, 'SELECT count(*) AS n FROM commit_keys')).toEqual([{ n: 20_000 }])
  expect(await commit('first')).toMatchObject({ repeated: false })
  expect(await commit('second')).toMatchObject({ repeated: true })
})
