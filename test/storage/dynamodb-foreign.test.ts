import { describe, expect, it } from 'vitest'
import { MemoryError } from '../../src/model/errors.ts'
import { CREATED, helperItem, ID, NORI, soon, writer } from '../dynamodb/foreign-items.ts'
import { place } from '../dynamodb/local-tables.ts'
import type { Fate } from '../dynamodb/proxy.ts'

const DAY = 86_400_000
const all = { everything: true } as const

describe('items that other programs wrote to DynamoDB', () => {
  it('[A01] are changed, reinforced and weakened, and come back after a deletion with their words in the history', async () => {
    const store = await place()
    await writer(store).put(helperItem())
    const memory = await store.open({ now: soon })
    const shop = memory.as(NORI)
    expect((await shop.history(ID)).changes).toMatchObject([
      { version: 1, operation: 'create', by: 'another program', after: { content: 'The checkout test is flaky' } },
    ])
    // With a vector it becomes a neighbour of new text.
    await memory.reembed()
    const said = { category: 'learning' as const, service: null }
    const [again] = await memory.remember([{ ...said, content: 'The checkout test is flaky' }], {
      identifiers: NORI,
      layer: 'agent',
      session: 's1',
    })
    expect(again).toMatchObject({ kind: 'reinforce', memory: { id: ID, confidence: 0.8 } })
    await shop.update(ID, { confidence: 0.4 })
    // A newer item: the cached partition has no other way to notice it.
    await shop.add({ exact: true, content: 'The build needs Node 24', layer: 'agent', identifiers: NORI })
    expect((await shop.list({})).totalCount).toBe(2)
    await shop.delete(ID)
    expect(await shop.get(ID)).toBeNull()
    expect((await memory.deleted(all)).deleted).toMatchObject([{ memory: { id: ID } }])
    await shop.restore(ID)
    expect(await shop.get(ID)).toMatchObject({ content: 'The checkout test is flaky', confidence: 0.4, version: 5 })
    expect((await shop.list({})).memories[1]).toMatchObject({ id: ID })
    const { changes } = await shop.history(ID)
    expect(changes.map(({ version, operation }) => [version, operation])).toEqual([
      [1, 'create'],
      [2, 'update'],
      [3, 'update'],
      [4, 'delete'],
      [5, 'create'],
    ])
    expect(changes[0]!.after?.content).toBe('The checkout test is flaky')
  })

  it('one that was never changed comes back too, in a process that had read it before', async () => {
    const store = await place()
    await writer(store).put(helperItem())
    const [one, two] = [(await store.open({ now: soon })).as(NORI), (await store.open({ now: soon })).as(NORI)]
    expect((await two.list({})).totalCount).toBe(1)
    await one.list({})
    await one.delete(ID)
    await one.restore(ID)
    for (const shop of [one, two]) {
      expect((await shop.list({})).totalCount).toBe(1)
      expect((await shop.search({ query: 'flaky checkout test', threshold: 0.1 })).results).toHaveLength(1)
    }
  })

  it('[E25] fade with age, expire and are cut as ours are', async () => {
    const store = await place()
    const { put } = writer(store)
    await put(helperItem({ category: { S: 'timing' } }))
    const soonGone = { id: { S: 'short' }, createdAt: { S: '2026-03-01T12:00:01Z' }, content: { S: 'Gone by morning' } }
    await put(helperItem({ ...soonGone, ttl: { N: String(Date.parse(CREATED) / 1000 + 3600) } }))
    for (let i = 0; i < 4; i++) {
      const own = { id: { S: `d${i}` }, agentProjectKey: { S: '@project#shop' }, category: { S: 'decision' } }
      await put(
        helperItem({ ...own, createdAt: { S: `2026-03-01T12:00:0${i}.000Z` }, content: { S: `Decision ${i}` } }),
      )
    }
    let now = Date.parse(CREATED) + 1000
    const memory = await store.open({ now: () => new Date(now), memory: { projectRetention: 2 } })
    const seen = async () => {
      const { memories } = await memory.list({ identifiers: NORI })
      return memories.map(({ id, confidence }) => `${id} ${confidence}`).sort()
    }
    const decisions = ['d0 0.7', 'd1 0.7', 'd2 0.7', 'd3 0.7']
    expect(await seen()).toEqual([`${ID} 0.7`, ...decisions, 'short 0.7'])
    now += DAY
    expect(await seen()).toEqual([`${ID} 0.7`, ...decisions])
    now += 43 * DAY
    expect(await seen()).toEqual([`${ID} 0.5`, ...decisions])
    expect(await memory.sweep()).toEqual({
      returned: 0,
      decayed: 1,
      deactivated: 0,
      retired: 2,
      expired: 1,
      sessions: 0,
      events: 0,
      showings: 0,
      unreadable: 0,
    })
    expect(await seen()).toEqual([`${ID} 0.5`, 'd2 0.7', 'd3 0.7'])
    now += 100 * DAY
    expect(await seen()).toEqual(['d2 0.7', 'd3 0.7'])
  })

  it('two with one id are both listed, and each is changed alone', async () => {
    const store = await place()
    const { put } = writer(store)
    await put(helperItem())
    await put(helperItem({ createdAt: { S: '2026-03-01T13:00:00.000Z' }, content: { S: 'The login test is slow' } }))
    await put(helperItem({ agentProjectKey: { S: 'miso#shop' }, content: { S: 'The search test is old' } }))
    const memory = await store.open({ now: soon })
    const shop = memory.as(NORI)
    const texts = async () => (await shop.list({})).memories.map(({ content }) => content)
    expect(await texts()).toEqual(['The login test is slow', 'The checkout test is flaky'])
    const ids = (await shop.list({})).memories.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    const everything = (await memory.list(all)).memories
    expect(new Set(everything.map(({ id }) => id)).size).toBe(3)
    for (const { id, content } of everything) expect(await memory.get(id, all)).toMatchObject({ id, content })
    const [slow] = (await shop.list({})).memories
    await shop.update(slow!.id, { importance: 90 })
    expect(await shop.get(slow!.id)).toMatchObject({ content: 'The login test is slow', importance: 90 })
    await shop.delete(slow!.id)
    expect(await texts()).toEqual(['The checkout test is flaky'])
    await shop.restore(slow!.id)
    expect(await texts()).toEqual(['The login test is slow', 'The checkout test is flaky'])
    // A sweep gives each a permanent id.
    await memory.sweep()
    const after = (await (await store.open({ now: soon })).list(all)).memories
    expect(after.map(({ content }) => content).sort()).toEqual([
      'The checkout test is flaky',
      'The login test is slow',
      'The search test is old',
    ])
    expect((await memory.as({ ...NORI, agentId: 'miso' }).list({})).totalCount).toBe(1)
  })

  it('one that another program changes while we change it keeps its words', async () => {
    const store = await place()
    const { put } = writer(store)
    await put(helperItem())
    const { memory, proxy } = await store.behindProxy({ now: soon })
    let changes = 0
    proxy.fate = async ({ operation }): Promise<Fate> => {
      if (operation === 'TransactWriteItems' && changes++ === 0)
        await put(helperItem({ content: { S: 'It is mended' } }))
      return 'pass'
    }
    await memory.as(NORI).update(ID, { importance: 80 })
    expect(await memory.as(NORI).get(ID)).toMatchObject({ content: 'The checkout test is flaky', importance: 80 })
    // Our change is based on theirs, and their text is in the history.
    const { changes: history } = await memory.as(NORI).history(ID)
    expect(history[0]!.after?.content).toBe('It is mended')
    expect(changes).toBeGreaterThan(1)
  })

  it('[A01] one that was ours and that another program writes again goes on with its history', async () => {
    const store = await place()
    const { put } = writer(store)
    await put(helperItem())
    const memory = await store.open({ now: soon })
    const shop = memory.as(NORI)
    const words = async () =>
      (await shop.history(ID)).changes.map(({ version, by, after }) => `${version} ${by}: ${after?.content ?? 'gone'}`)
    const first = ['1 another program: The checkout test is flaky', '2 library: The checkout test is flaky']
    await shop.update(ID, { importance: 80 })
    await put(helperItem({ content: { S: 'It is mended' } }))
    expect(await words()).toEqual(first)
    await shop.update(ID, { importance: 33 })
    const then = [...first, '3 another program: It is mended', '4 library: It is mended']
    expect(await words()).toEqual(then)
    expect(await shop.get(ID)).toMatchObject({ content: 'It is mended', importance: 33, version: 4 })
    await shop.update(ID, { content: 'It is mended for good' })
    await shop.delete(ID)
    await put(helperItem({ content: { S: 'It broke again' } }))
    await shop.delete(ID)
    expect(await words()).toEqual([
      ...then,
      '5 library: It is mended for good',
      '6 library: gone',
      '7 another program: It broke again',
      '8 library: gone',
    ])
    expect((await shop.restore(ID)).memory).toMatchObject({ content: 'It broke again', version: 9 })
  })

  it('[A01] one that another program deletes comes back from its history; one that was never ours is unknown', async () => {
    const store = await place()
    const { put, remove } = writer(store)
    await put(helperItem())
    const memory = await store.open({ now: soon })
    const shop = memory.as(NORI)
    const own = await shop.add({ exact: true, content: 'The build needs Node 24', layer: 'agent', identifiers: NORI })
    await shop.update(ID, { importance: 80 })
    await expect(shop.restore(ID)).rejects.toMatchObject({ code: 'CONFLICT' })
    await put(helperItem({ id: { S: 'theirs' }, createdAt: { S: '2026-03-01T13:00:00.000Z' } }))
    await remove(helperItem())
    await remove(helperItem({ createdAt: { S: '2026-03-01T13:00:00.000Z' } }))
    await remove(helperItem({ createdAt: { S: own.memory.createdAt } }))
    for (const id of [ID, own.memory.id]) {
      expect(await shop.get(id)).toBeNull()
      await shop.restore(id)
      const { changes } = await shop.history(id)
      expect(changes.slice(-2)).toMatchObject([
        { operation: 'delete', by: 'another program' },
        { operation: 'create', by: 'library' },
      ])
    }
    expect((await shop.list({})).memories.map(({ content }) => content).sort()).toEqual([
      'The build needs Node 24',
      'The checkout test is flaky',
    ])
    await expect(shop.restore('theirs')).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' })
  })
})

it('MemoryError is what a caller sees of a memory that is not there', async () => {
  const memory = await (await place()).open()
  const failure = await memory.update('nori#shop#2026', { importance: 1 }, all).catch((error: unknown) => error)
  expect(MemoryError.is(failure) && failure.code).toBe('MEMORY_NOT_FOUND')
})
