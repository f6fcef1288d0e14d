import { expect } from 'vitest'
import type { Write, WriteFailure } from '../../../storage/commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { anEvent, aSession, personality, showing } from './records.ts'
import {
  AT,
  commit,
  embeddingFor,
  hashOf,
  idOf,
  insert,
  numbers,
  record,
  remove,
  second,
  stored,
  update,
  write,
} from './writing.ts'

/** Writes that cannot be applied to a store with memory 1 (version 2, once-key `taken`), and why. */
const IMPOSSIBLE: { title: string; write: Write; reason: WriteFailure }[] = [
  { title: 'an insert of a taken id', write: insert(1), reason: 'exists' },
  { title: 'an insert with a taken once-key', write: insert(50, {}, { once: 'taken' }), reason: 'once' },
  { title: 'an update of an unknown id', write: update(99, 2), reason: 'missing' },
  { title: 'an update from the version before', write: update(1, 2), reason: 'version' },
  { title: 'an update from the version after', write: update(1, 4), reason: 'version' },
  { title: 'an update with a taken once-key', write: update(1, 3, {}, { once: 'taken' }), reason: 'once' },
  { title: 'a delete of the version before', write: remove(1, 1), reason: 'version' },
  { title: 'a delete of the version after', write: remove(1, 3), reason: 'version' },
  {
    title: 'a vector for an unknown id',
    write: { kind: 'embed', id: idOf(99), version: 1, embedding: embeddingFor('x') },
    reason: 'missing',
  },
  {
    title: 'a vector for the version before',
    write: { kind: 'embed', id: idOf(1), version: 1, embedding: embeddingFor('x') },
    reason: 'version',
  },
  {
    title: 'a vector for the version after',
    write: { kind: 'embed', id: idOf(1), version: 3, embedding: embeddingFor('x') },
    reason: 'version',
  },
]

async function prepare(storage: Storage): Promise<void> {
  await write(storage, [insert(1, {}, { once: 'taken' }), insert(2)])
  await write(storage, [update(1, 2)])
}

/** Everything a store returns, in a comparable form. */
async function everything(storage: Storage): Promise<unknown> {
  const page = { after: null, limit: 100 }
  return {
    memories: (await storage.memories({
      scopes: null,
      where: {},
      order: 'oldest',
      count: true,
      vectors: true,
      ...page,
    })) as unknown,
    changes: await storage.changes({ memory: null, ...page }),
    sessions: await storage.sessions({ any: null, ...page }),
    injections: await storage.injections({ session: null, memory: null, ...page }),
    events: await storage.events({ any: null, ...page }),
    personalities: await storage.documents('personality'),
    stats: { ...(await storage.stats()), sizeBytes: null },
    known: await storage.known(['new once', 'taken']),
    vectors: [...(await storage.embeddings([hashOf('eight'), hashOf('x')])).keys()],
  }
}

export const commitCases = group('commit', (it) => {
  it('applies all writes, and reports how many changed something', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1), insert(2), insert(3)])
    const writes = [update(1, 2, { content: 'Changed' }), remove(2), remove(77), insert(4)]
    if (storage.capabilities.maxWrites < writes.length) return write(storage, writes)
    expect(await commit(storage, writes)).toEqual({ applied: true, repeated: false, changed: 3, note: null })
    const found = await stored(storage, 1, 2, 3, 4)
    expect(found.map(({ id, version, content }) => [id, version, content])).toEqual([
      [idOf(1), 2, 'Changed'],
      [idOf(3), 1, 'Record 3'],
      [idOf(4), 1, 'Record 4'],
    ])
  })

  it('each kind of write reports whether it changed something', async (store) => {
    const storage = await store.storage()
    const changed = async (each: Write) => {
      const result = await commit(storage, [each])
      return result.applied ? result.changed : result.failures
    }
    const twice: Write[] = [
      { kind: 'change', change: { memory: idOf(9), version: 1, operation: 'create', at: AT, by: 'x', after: null } },
      { kind: 'session', session: aSession(1) },
      { kind: 'event', event: anEvent(1) },
      { kind: 'injection', injection: showing(1), recall: false },
    ]
    for (const each of twice) {
      expect(await changed(each), each.kind).toBe(1)
      expect(await changed(each), `${each.kind} again`).toBe(0)
    }
    const put: Write = { kind: 'put', collection: 'personality', document: personality('nori') }
    const taken: Write = { kind: 'remove', collection: 'personality', key: 'nori' }
    expect([await changed(put), await changed(taken), await changed(taken)]).toEqual([1, 1, 0])
    const embed: Write = { kind: 'embed', id: idOf(1), version: 1, embedding: embeddingFor('x') }
    expect([await changed(insert(1)), await changed(embed), await changed(update(1, 2))]).toEqual([1, 1, 1])
    expect([await changed(remove(1)), await changed(remove(1))]).toEqual([1, 0])
    expect(await commit(storage, [])).toEqual({ applied: true, repeated: false, changed: 0, note: null })
  })

  for (const { title, write: impossible, reason } of IMPOSSIBLE) {
    it(`${title} is reported as ${reason}, and nothing of the commit is applied`, async (store) => {
      const storage = await store.storage()
      await prepare(storage)
      const before = await everything(storage)
      const others: Write[] = [
        insert(8, {}, { text: 'eight', once: 'new once', tokens: ['eight'] }),
        update(2, 2, { content: 'Changed' }),
        { kind: 'session', session: aSession(1) },
        { kind: 'event', event: anEvent(1) },
        { kind: 'injection', injection: showing(1, { memory: idOf(3) }), recall: true },
        { kind: 'put', collection: 'personality', document: personality('nori') },
      ]
      const room = storage.capabilities.maxWrites - 1
      const writes = [...others.slice(0, room), impossible]
      const failures = [{ write: writes.length - 1, reason }]
      expect(await commit(storage, writes)).toEqual({ applied: false, failures })
      expect(await everything(storage)).toEqual(before)
      expect(await commit(storage, [impossible, ...others.slice(0, room)])).toEqual({
        applied: false,
        failures: [{ write: 0, reason }],
      })
      expect(await everything(storage)).toEqual(before)
      await write(storage, others)
      expect(await numbers(storage)).toEqual([8, 2, 1])
    })
  }

  it('reports every failed write, in order', async (store) => {
    const storage = await store.storage()
    if (storage.capabilities.maxWrites < 6) return
    await prepare(storage)
    const writes = [update(99, 2), insert(8), insert(1), remove(2), insert(9, {}, { once: 'taken' })]
    const failures = [
      { write: 0, reason: 'missing' },
      { write: 2, reason: 'exists' },
      { write: 4, reason: 'once' },
    ]
    expect(await commit(storage, writes)).toEqual({ applied: false, failures })
    expect(await numbers(storage)).toEqual([2, 1])
  })

  it('later writes see earlier ones: a once-key is also taken within the commit', async (store) => {
    const storage = await store.storage()
    if (storage.capabilities.maxWrites < 2) return
    const writes = [insert(1, {}, { once: 'mine' }), insert(2, {}, { once: 'mine' })]
    expect(await commit(storage, writes)).toEqual({ applied: false, failures: [{ write: 1, reason: 'once' }] })
    expect(await storage.known(['mine'])).toEqual(new Set())
  })

  it('of two concurrent updates of one version, one is applied and the other fails', async (store) => {
    const handles = [await store.storage(), await store.storage()]
    await write(handles[0]!, [insert(1)])
    const results = await Promise.all(
      handles.map((handle, i) => commit(handle, [update(1, 2, { content: `By ${i}` })])),
    )
    const failed = results.filter((result) => !result.applied)
    expect(failed).toEqual([{ applied: false, failures: [{ write: 0, reason: 'version' }] }])
    const winner = results.findIndex((result) => result.applied)
    expect(await stored(handles[1]!, 1)).toMatchObject([{ version: 2, content: `By ${winner}` }])
  })

  it('keeps every field, for every handle', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const full = {
      content:
        '  é e\u0301\n"quoted"\t日本 \u{1f680} й и\u0306 ё が か\u3099 한국어 άλφα\n\'; DROP TABLE memories; -- \\u0000 %_',
      layer: 'agent',
      identifiers: { agentId: 'エージェント', projectId: "c'd", teamId: 'red', userId: '👩‍🚀' },
      category: 'follow_up',
      service: 'web',
      source: 'coordinator',
      tags: ['日', 'b c', 'a'],
      metadata: {
        deep: { list: [1, -2.5, 1e21, null, false, 'x', {}] },
        'a.b': '',
        が: 'か\u3099',
        '"; --': '{"a":1}',
      },
      anchor: 'x:1|y:2',
      importance: 12.5,
      confidence: 0.29,
      active: false,
      decayedWeeks: 3,
      tier: 3,
      trust: 'quarantined',
      links: [
        { relation: 'contradicts', memory: idOf(7) },
        { relation: 'confirmedBy', memory: idOf(6) },
      ],
      thread: { id: 'talk', index: 4 },
      occurredAt: '2020-02-29T01:02:03.004Z',
      session: 'run-1',
      expiresAt: '2030-01-01T00:00:00.000Z',
      lastRecalledAt: '2026-03-02T00:00:00.000Z',
      recallCount: 7,
      pinned: true,
      useCount: 3,
      lastUsedAt: '2026-01-05T01:02:03.004Z',
      createdAt: second(-9.001),
      updatedAt: second(-4.987),
      version: 5,
    } as const
    const memory = record(1, structuredClone(full) as object)
    await write(storage, [{ kind: 'insert', row: { memory, visibleUntil: '', tokens: [], embedding: null } }])
    for (const handle of [storage, other]) {
      expect(await stored(handle, 1)).toEqual([memory])
      const page = await handle.memories({
        scopes: null,
        where: {},
        order: 'newest',
        limit: 1,
        after: null,
        count: false,
        vectors: false,
      })
      expect(page).toEqual({ items: [{ memory, vector: null }], next: null, totalCount: null })
    }
    const bare = record(1, { recallCount: 7, lastRecalledAt: memory.lastRecalledAt, version: 6 })
    await write(storage, [{ kind: 'update', row: { memory: bare, visibleUntil: '', tokens: [] } }])
    expect(await stored(other, 1)).toEqual([bare])
  })

  it('an update leaves the recall counters as they are stored', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1, { recallCount: 2, lastRecalledAt: AT })])
    await write(storage, [{ kind: 'injection', injection: showing(1, { at: second(3) }), recall: true }])
    await write(storage, [update(1, 2, { content: 'Changed', recallCount: 0, lastRecalledAt: null })])
    expect(await stored(storage, 1)).toMatchObject([{ content: 'Changed', recallCount: 3, lastRecalledAt: second(3) }])
  })

  it('copies its inputs and results', async (store) => {
    const storage = await store.storage()
    const memory = record(1, { tags: ['one'], metadata: { inner: { value: 1 } } })
    const vector = Float32Array.from([1, 0, 0, 0])
    const row = { memory, visibleUntil: second(99), tokens: ['a'], embedding: { hash: hashOf('a'), vector } }
    await write(storage, [{ kind: 'insert', row }])
    memory.tags.push('two')
    vector.fill(0)
    const [found] = await storage.get([idOf(1)])
    expect(found).toMatchObject({ memory: { tags: ['one'] } })
    expect(found!.vector![0]).toBe(1)
    found!.memory.metadata.other = true
    found!.vector!.fill(0)
    const [again] = await storage.get([idOf(1)])
    expect(again!.memory.metadata).toEqual({ inner: { value: 1 } })
    expect(again!.vector![0]).toBe(1)
  })

  it('get returns each once, in any order, without unknown ones; ids are compared exactly', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1), insert(2), insert(3)])
    const found = await storage.get([idOf(2), idOf(9), idOf(1), idOf(2)])
    expect(found.map(({ memory }) => memory.id).sort()).toEqual([idOf(1), idOf(2)])
    expect(await storage.get([])).toEqual([])
    expect(await storage.get([idOf(1).toLowerCase(), ` ${idOf(1)}`, idOf(1).slice(0, -1)])).toEqual([])
  })
})
