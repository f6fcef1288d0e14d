import { expect } from 'vitest'
import type { Layer, ScopeSelector } from '../../../model/layer.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Commit, Write } from '../../../storage/commit.ts'
import type { Conditions } from '../../../storage/conditions.ts'
import type { MemoryOrder, StoredMemory } from '../../../storage/memory-query.ts'
import { referenceStorage } from '../../../storage/reference/reference-storage.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { type Random, randomFrom } from '../samples.ts'
import { MODEL } from '../store-under-test.ts'
import { anEvent, aSession, personality, showing } from './records.ts'
import {
  type Beside,
  embeddingFor,
  hashOf,
  idOf,
  insert,
  numberOf,
  query,
  question,
  remove,
  second,
  update,
  vectorFor,
  walk,
} from './writing.ts'

const STEPS = 120
const MOST = 40
const TOKENS = ['disk', 'cache', 'ночь', '再起', 'ガード', 'queue', 'й']
const PLACES: Pick<Memory, 'layer' | 'identifiers'>[] = [
  { layer: 'project', identifiers: { projectId: 'shop' } },
  { layer: 'project', identifiers: { projectId: 'lab' } },
  { layer: 'agent', identifiers: { agentId: 'miso', projectId: 'shop' } },
  { layer: 'agent', identifiers: { agentId: 'miso' } },
  { layer: 'task', identifiers: { taskId: 'shop', sectionId: 's', projectId: 'shop' } },
  { layer: 'task', identifiers: { taskId: 't2', sectionId: 's' } },
]
const SCOPES: (ScopeSelector[] | null)[] = [
  null,
  [{ layer: 'project', owner: 'shop', projects: [null] }],
  [
    { layer: 'agent', owner: 'miso', projects: ['shop', null] },
    { layer: 'project', owner: 'lab', projects: [null] },
  ],
  [{ layer: 'task', section: 's', project: 'shop' }],
  [{ layer: 'task', owner: 't2', projects: null }],
]
const WHERES: Conditions[] = [
  {},
  { visibleAt: second(50) },
  { categories: ['timing'], layers: ['project', 'task'] as Layer[] },
  { tags: ['red', 'green'], service: null },
  { trust: ['agent'], embedded: true },
  { filter: [{ path: ['size'], operator: 'gte', value: 4 }] },
  { updatedBy: second(40), expiredAt: second(60) },
  { thread: { id: 'talk', from: 1, to: 3 } },
]
const ORDERS: MemoryOrder[] = ['newest', 'oldest', 'confidence', 'importance']

/** The same random commits, through two handles and into the reference: all three must give the same answers. */
export const randomCases = group('against the reference', (it) => {
  for (const seed of [1, 2, 3]) {
    it(`the same commits lead to the same answers, whichever handle is asked (seed ${seed})`, async (store) => {
      const random = randomFrom(seed)
      const handles = [await store.storage(), await store.storage()]
      const reference = referenceStorage({ mode: handles[0]!.capabilities })
      await reference.initialize(MODEL)
      let last: Commit | null = null
      for (let step = 0; step < STEPS; step++) {
        const handle = handles[random(2)]!
        const commit: Commit =
          last && random(12) === 0
            ? last
            : {
                key: `${seed}-${step}`,
                at: second(step),
                by: `by ${random(3)}`,
                writes: await randomWrites(random, step, reference),
              }
        expect(await handle.commit(commit), JSON.stringify(commit.writes)).toEqual(await reference.commit(commit))
        last = commit
        if (step % 30 === 29) await compare(reference, handles[random(2)]!, random)
      }
      for (const handle of handles) await compare(reference, handle, random)
      const prune = { sessions: second(random(20)), events: second(random(9)), showings: null, dryRun: false }
      expect(await handles[1]!.prune(prune)).toEqual(await reference.prune(prune))
      for (const handle of handles) await compare(reference, handle, random)
      const before = second(random(STEPS))
      const purge = { before, dryRun: false }
      const expected = await reference.purge(purge)
      expect(await handles[0]!.purge(purge)).toMatchObject({ memories: expected.memories, changes: expected.changes })
      for (const handle of handles) await compare(reference, handle, random)
    })
  }
})

/** A few writes to different memories, some of which cannot be applied. */
async function randomWrites(random: Random, step: number, reference: Storage): Promise<Write[]> {
  const room = Math.min(4, reference.capabilities.maxWrites)
  const targets = new Set(Array.from({ length: 1 + random(room) }, () => random(MOST)))
  const versions = new Map<number, number>()
  for (const { memory } of await reference.get([...targets].map(idOf)))
    versions.set(numberOf(memory.id), memory.version)
  return [...targets].map((number, i) => randomWrite(random, number, step * 10 + i, versions.get(number) ?? null))
}

function randomWrite(random: Random, number: number, serial: number, version: number | null): Write {
  const kind = random(10)
  if (kind === 0) return { kind: 'session', session: randomSession(random) }
  if (kind === 1)
    return {
      kind: 'injection',
      injection: showing(random(60), { memory: idOf(number), session: `run-${random(4)}`, position: random(5) }),
      recall: random(2) === 0,
    }
  if (kind === 2) {
    const identifiers = PLACES[random(PLACES.length)]!.identifiers
    return { kind: 'event', event: anEvent(random(30), { at: second(random(9)), identifiers }) }
  }
  if (kind === 3)
    return {
      kind: 'put',
      collection: 'personality',
      document: personality(`agent ${random(4)}`, { persona: `${serial}` }),
    }
  // Occasionally a version that is off by one, or an id that is taken.
  if (version === null)
    return random(12) === 0 ? update(number, 2) : insert(number, randomFields(random), beside(random))
  const next = version + (random(15) === 0 ? 2 : 1)
  if (kind < 6) return random(4) === 0 ? insert(number) : remove(number, random(2) === 0 ? version : undefined)
  if (kind === 6)
    return { kind: 'embed', id: idOf(number), version: next - 1, embedding: embeddingFor(`text ${random(99)}`) }
  return update(number, next, randomFields(random), beside(random))
}

function beside(random: Random): Beside {
  return {
    tokens: TOKENS.filter(() => random(3) === 0),
    ...(random(4) === 0 ? {} : { text: `text ${random(99)}` }),
    ...(random(6) === 0 ? { once: `once ${random(20)}` } : {}),
    ...(random(4) === 0 ? { visibleUntil: second(random(99)) } : {}),
  }
}

function randomFields(random: Random): Partial<Memory> {
  const place = PLACES[random(PLACES.length)]!
  return {
    ...place,
    content: `Words ${random(99)}`,
    category: random(2) === 0 ? 'timing' : 'learning',
    service: random(2) === 0 ? 'web' : null,
    tags: ['red', 'green', 'blue'].filter(() => random(3) === 0),
    metadata: { size: random(8) },
    confidence: random(10) / 10,
    importance: random(4) * 10,
    active: random(4) > 0,
    trust: random(2) === 0 ? 'agent' : 'flagged',
    thread: random(3) === 0 ? { id: 'talk', index: random(5) } : null,
    expiresAt: random(3) === 0 ? second(random(99)) : null,
    createdAt: second(random(20)),
    updatedAt: second(random(99)),
  }
}

function randomSession(random: Random) {
  return aSession(random(6), {
    startedAt: second(random(20)),
    ...(random(2) === 0 ? { project: random(2) === 0 ? 'shop' : 'lab' } : {}),
    ...(random(3) === 0 ? { agent: 'miso' } : {}),
    ...(random(3) === 0 ? { endedAt: second(30 + random(9)), exitCode: random(3), outcome: 'done' } : {}),
  })
}

async function compare(reference: Storage, storage: Storage, random: Random): Promise<void> {
  const { sizeBytes: _, ...stats } = await reference.stats()
  expect(await storage.stats()).toMatchObject(stats)
  const limit = 1 + random(7)
  const whole = (from: Storage) => ({
    changes: walk(500, (part) => from.changes({ memory: null, ...part })),
    sessions: walk(limit, (part) => from.sessions({ any: [{ project: 'shop' }, { id: 'run-1' }], ...part })),
    injections: walk(limit, (part) => from.injections({ session: null, memory: null, ...part })),
    events: walk(limit, (part) => from.events({ any: null, ...part })),
    documents: from.documents('personality'),
    known: from.known(Array.from({ length: 20 }, (_, i) => `once ${i}`)),
  })
  const [expected, actual] = [whole(reference), whole(storage)]
  for (const name of ['sessions', 'injections', 'events', 'documents', 'known'] as const) {
    expect(await actual[name], name).toEqual(await expected[name])
  }
  expect(sortedChanges(await actual.changes)).toEqual(sortedChanges(await expected.changes))
  for (const scopes of SCOPES) {
    const where = WHERES[random(WHERES.length)]!
    const order = ORDERS[random(ORDERS.length)]!
    const title = JSON.stringify({ scopes, where, order, limit })
    const list = (from: Storage) =>
      walk(limit, (part) => from.memories(query({ scopes, where, order, vectors: true, ...part })))
    const listed = await list(reference)
    expect(aligned(await list(storage), listed), title).toEqual(listed)
    const { keywordSearch, vectorSearch } = storage.capabilities
    const tokens = keywordSearch ? TOKENS.filter(() => random(2) === 0) : []
    const vector = vectorSearch ? vectorFor(`question ${random(9)}`) : null
    // All of them: other tests ask for the best, where no two are equally good.
    const asked = question({ scopes, where, tokens, vector, limit: MOST, around: random(3) })
    const [wanted] = await reference.search([asked])
    const [found] = await storage.search([asked])
    const best = byId(wanted!.candidates)
    expect({ ...found, candidates: aligned(byId(found!.candidates), best) }, title).toEqual({
      ...wanted,
      candidates: best,
    })
  }
  const held = (await reference.memories(query({ where: { embedded: true } }))).items.map(({ memory }) => memory.id)
  const got = byId(await reference.get(held))
  expect(aligned(byId(await storage.get(held)), got)).toEqual(got)
  expect((await storage.embeddings([hashOf('never said')])).size).toBe(0)
}

function sortedChanges<Item extends { memory: string; version: number }>(changes: readonly Item[]): Item[] {
  return changes.toSorted((a, b) => (a.memory === b.memory ? a.version - b.version : a.memory < b.memory ? -1 : 1))
}

/** The actual items, each with the expected vector if its own is as close as 16-bit floats are. */
function aligned(actual: readonly StoredMemory[], expected: readonly StoredMemory[]): StoredMemory[] {
  return actual.map((item, i) => {
    const wanted = expected[i]?.vector
    const near = wanted && item.vector?.every((value, place) => Math.abs(value - wanted[place]!) < 0.001)
    return near ? { ...item, vector: wanted } : item
  })
}

function byId(items: readonly StoredMemory[]): StoredMemory[] {
  return items.toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
}
