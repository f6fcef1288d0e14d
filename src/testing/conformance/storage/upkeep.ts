import { expect } from 'vitest'
import type { Storage } from '../../../storage/storage.ts'
import type { StorageStats } from '../../../storage/upkeep.ts'
import { group } from '../group.ts'
import { anEvent, aSession, personality, showing } from './records.ts'
import { hashOf, idOf, insert, numbers, remove, SHOP, second, update, walk, write } from './writing.ts'

/** Without the size, which is up to the store, and without empty layers. */
async function stats(storage: Storage): Promise<Omit<StorageStats, 'sizeBytes'>> {
  const { sizeBytes, byLayer, ...rest } = await storage.stats()
  expect(sizeBytes === null || sizeBytes >= 0).toBe(true)
  return { ...rest, byLayer: Object.fromEntries(Object.entries(byLayer).filter(([, count]) => count !== 0)) }
}

const user = { layer: 'user', identifiers: { userId: 'ann' } } as const
const inactive = { active: false }

/** The records of a memory: its history, its showings. */
async function traces(storage: Storage, number: number): Promise<[changes: number, showings: number]> {
  const memory = idOf(number)
  const changes = await walk(100, (part) => storage.changes({ memory, ...part }))
  const showings = await walk(100, (part) => storage.injections({ session: null, memory, ...part }))
  return [changes.length, showings.length]
}

export const upkeepCases = group('stats and purge', (it) => {
  it('stats follow every insert, update, delete and session', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const expectStats = async (memories: number, active: number, byLayer: object, sessions = 0) => {
      for (const handle of [storage, other]) {
        expect(await stats(handle)).toEqual({ memories, active, byLayer, sessions, models: [] })
      }
    }
    await expectStats(0, 0, {})
    await write(storage, [insert(1), insert(2), insert(3, user), insert(4, inactive)])
    await expectStats(4, 3, { project: 3, user: 1 })
    await write(storage, [update(1, 2, inactive), update(2, 2, { content: 'Changed' })])
    await expectStats(4, 2, { project: 3, user: 1 })
    await write(other, [update(1, 3), remove(4), remove(99)])
    await expectStats(3, 3, { project: 2, user: 1 })
    await write(storage, [update(2, 3, user)])
    await expectStats(3, 3, { project: 1, user: 2 })
    await write(storage, [remove(1), remove(3)])
    await expectStats(1, 1, { user: 1 })
    await write(storage, [{ kind: 'session', session: aSession(1) }])
    await write(storage, [{ kind: 'session', session: aSession(1, { agent: 'miso' }) }])
    await write(storage, [{ kind: 'session', session: aSession(2) }])
    await expectStats(1, 1, { user: 1 }, 2)
  })

  it('tally counts by category, service, project and day like reading the scopes', async (store) => {
    const storage = await store.storage()
    await write(storage, [
      insert(2, { category: 'timing', service: 'web' }, { visibleUntil: second(1) }),
      insert(1, { category: 'timing', service: 'web', createdAt: second(-86_400) }),
      insert(3, { service: 'db', links: [{ relation: 'contradicts', memory: idOf(1) }] }),
      insert(
        4,
        { trust: 'quarantined', links: [{ relation: 'contradictedBy', memory: idOf(1) }] },
        { visibleUntil: '' },
      ),
      insert(5, { ...user, createdAt: second(-10 * 86_400) }),
    ])
    const query = { visibleAt: second(1), since: second(-5 * 86_400) }
    expect(await storage.tally({ scopes: [SHOP], ...query })).toEqual({
      memories: 4,
      visible: 2,
      held: 1,
      categories: [
        { category: 'learning', memories: 2, visible: 1 },
        { category: 'timing', memories: 2, visible: 1 },
      ],
      services: [
        { service: 'web', memories: 2 },
        { service: null, memories: 1 },
        { service: 'db', memories: 1 },
      ],
      projects: [{ project: 'shop', memories: 4 }],
      days: [
        { day: '2026-02-28', memories: 1, corrections: 0 },
        { day: '2026-03-01', memories: 3, corrections: 1 },
      ],
    })
    const shown = await storage.tally({ scopes: [SHOP], ...query, withoutHeld: true })
    expect(shown).toMatchObject({
      memories: 3,
      held: 0,
      services: [{ service: 'web', memories: 2 }, { service: 'db' }],
    })
    expect([shown.categories[0], shown.days[1]]).toEqual([
      { category: 'learning', memories: 1, visible: 1 },
      { day: '2026-03-01', memories: 2, corrections: 1 },
    ])
    const { memories, days, projects } = await storage.tally({ scopes: null, ...query })
    expect([memories, days.length]).toEqual([5, 2])
    expect(projects).toEqual([
      { project: 'shop', memories: 4 },
      { project: null, memories: 1 },
    ])
    expect(await storage.tally({ scopes: [], ...query })).toMatchObject({ memories: 0, visible: 0, services: [] })
  })

  it('stats list the models that at least one memory has a vector of, by name', async (store) => {
    const [first, second] = [
      await store.storage({ name: 'b', dimensions: 4 }),
      await store.storage({ name: 'a', dimensions: 4 }),
    ]
    await write(first, [insert(1), insert(2, {}, { text: 'two' })])
    expect((await stats(second)).models).toEqual(['b'])
    await write(second, [insert(3, {}, { text: 'three' })])
    expect((await stats(first)).models).toEqual(['a', 'b'])
    await write(first, [remove(2)])
    expect((await stats(first)).models).toEqual(['a'])
    await write(second, [update(3, 2, {}, { text: null })])
    expect((await stats(first)).models).toEqual([])
  })

  it('purge removes what was inactive or deleted before the time, with every record of it', async (store) => {
    const storage = await store.storage()
    const before = second(100)
    const shown = (number: number) =>
      ({ kind: 'injection', injection: showing(number, { memory: idOf(number) }), recall: false }) as const
    const all = [1, 2, 3, 4, 5, 6, 7, 8]
    for (const number of all) {
      await write(storage, [insert(number, {}, { text: `text ${number}`, once: `once ${number}`, tokens: ['every'] })])
      await write(storage, [shown(number)])
    }
    await write(storage, [insert(9, {}, { text: 'text 1' })])
    const changeAt = (at: number) => ({ at: second(at) })
    const off = (at: number, fields = {}) => ({ ...inactive, updatedAt: second(at), ...fields })
    await write(storage, [update(1, 2, off(50))], changeAt(50))
    await write(storage, [update(2, 2, off(100))], changeAt(100))
    await write(storage, [update(3, 2, off(150))], changeAt(150))
    await write(storage, [remove(4)], changeAt(50))
    await write(storage, [remove(5)], changeAt(150))
    await write(storage, [update(6, 2, off(40))], changeAt(40))
    await write(storage, [update(6, 3, { updatedAt: second(60) })], changeAt(60))
    await write(storage, [update(8, 2, off(50))], changeAt(50))
    await write(storage, [update(8, 3, off(99))], changeAt(99))
    await write(storage, [
      { kind: 'session', session: aSession(1) },
      { kind: 'event', event: anEvent(1) },
      { kind: 'put', collection: 'personality', document: personality('nori') },
    ])
    const left = await numbers(storage, { order: 'oldest' })
    expect(left).toEqual([1, 2, 3, 6, 7, 8, 9])

    const planned = await storage.purge({ before, dryRun: true })
    expect(planned).toMatchObject({ memories: 2, changes: 7 })
    expect(await numbers(storage, { order: 'oldest' })).toEqual(left)
    expect(await traces(storage, 1)).toEqual([2, 1])
    expect(await traces(storage, 4)).toEqual([2, 1])
    expect((await storage.known(['once 1', 'once 4'])).size).toBe(2)
    expect((await storage.embeddings([hashOf('text 8')])).size).toBe(1)

    const report = await storage.purge({ before, dryRun: false })
    expect(report).toMatchObject({ memories: 2, changes: 7, vectors: planned.vectors })
    expect(report.erased === (report.remains === null)).toBe(true)
    expect(await numbers(storage, { order: 'oldest' })).toEqual([2, 3, 6, 7, 9])
    for (const number of [1, 4, 8]) expect(await traces(storage, number), `${number}`).toEqual([0, 0])
    const kept: [number, number][] = [
      [2, 2],
      [3, 2],
      [5, 2],
      [6, 3],
      [7, 1],
    ]
    for (const [number, changes] of kept) expect(await traces(storage, number), `${number}`).toEqual([changes, 1])
    const keys = await storage.known(all.map((number) => `once ${number}`))
    expect([...keys].sort()).toEqual([2, 3, 5, 6, 7].map((number) => `once ${number}`))
    // Memory 9 holds the text of memory 1; no memory holds those of 4 and 8 any more.
    const hashes = [1, 2, 3, 4, 6, 7, 8].map((number) => hashOf(`text ${number}`))
    const vectors = await storage.embeddings(hashes)
    expect([...vectors.keys()].sort()).toEqual([1, 2, 3, 6, 7].map((number) => hashOf(`text ${number}`)).sort())
    expect(await stats(storage)).toMatchObject({ memories: 5, active: 3, byLayer: { project: 5 }, sessions: 1 })
    expect(await storage.documents('personality')).toHaveLength(1)
    expect((await storage.events({ any: null, after: null, limit: 5 })).items).toHaveLength(1)
    expect((await storage.sessions({ any: null, after: null, limit: 5 })).items).toHaveLength(1)

    expect(await storage.purge({ before, dryRun: false })).toMatchObject({ memories: 0, changes: 0, vectors: 0 })
    await write(storage, [insert(11, {}, { once: 'once 1' })])
  })

  it('prune removes sessions, events and showings from before a time, and memories keep their session', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const startedAt = (at: number) => ({ startedAt: second(at), endedAt: second(at + 1) })
    await write(storage, [
      ...[1, 2, 3].map((number) => ({ kind: 'session', session: aSession(number, startedAt(number * 100)) }) as const),
      insert(1, { session: 'run-1' }),
      insert(2),
    ])
    const records: [number, session: string | null, at: number][] = [
      [1, 'run-1', 150],
      [2, 'run-2', 210],
      [3, 'run-3', 310],
      [4, null, 199],
    ]
    for (const [number, session, at] of records) {
      await write(storage, [{ kind: 'event', event: anEvent(number, { session, at: second(at) }) }])
      const shown = showing(number, { at: second(at), session: session ?? 'run-9' })
      await write(storage, [{ kind: 'injection', injection: shown, recall: false }])
    }
    const left = async (handle: Storage) => ({
      sessions: (await walk(2, (part) => handle.sessions({ any: null, ...part }))).map(({ id }) => id),
      events: (await walk(2, (part) => handle.events({ any: null, ...part }))).map(({ id }) => id),
      showings: (await walk(2, (part) => handle.injections({ session: null, memory: null, ...part }))).map(
        ({ id }) => id,
      ),
    })
    const all = await left(storage)
    const none = { sessions: null, events: null, showings: null }

    expect(await storage.prune({ ...none, dryRun: false })).toEqual({ sessions: 0, events: 0, showings: 0 })
    // The instant itself is not before the time.
    const times = { sessions: second(200), events: second(210), showings: second(310) }
    const dry = await storage.prune({ ...times, dryRun: true })
    expect(await left(storage)).toEqual(all)
    expect(dry).toEqual({ sessions: 1, events: 2, showings: 3 })
    expect(await storage.prune({ ...times, dryRun: false })).toEqual(dry)
    for (const handle of [storage, other]) {
      expect(await left(handle)).toEqual({
        sessions: ['run-3', 'run-2'],
        events: ['event-3', 'event-2'],
        showings: ['showing-3'],
      })
      expect(await stats(handle)).toMatchObject({ memories: 2, sessions: 2 })
    }
    expect((await storage.get([idOf(1)]))[0]?.memory.session).toBe('run-1')
    expect(await storage.prune({ ...times, dryRun: false })).toEqual({ sessions: 0, events: 0, showings: 0 })

    // A session takes its own records with it, however new they are.
    expect(await storage.prune({ ...none, sessions: second(301), dryRun: false })).toEqual({
      sessions: 2,
      events: 2,
      showings: 1,
    })
    expect(await left(other)).toEqual({ sessions: [], events: [], showings: [] })
    expect(await stats(other)).toMatchObject({ memories: 2, sessions: 0 })
    // The same name can start again.
    await write(storage, [{ kind: 'session', session: aSession(1, { agent: 'miso' }) }])
    expect((await storage.sessions({ any: [{ id: 'run-1' }], after: null, limit: 5 })).items).toEqual([
      aSession(1, { agent: 'miso' }),
    ])
    expect(await stats(other)).toMatchObject({ sessions: 1 })
  })
})
