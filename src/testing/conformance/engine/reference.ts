import { describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import { type Nokosu, openMemory } from '../../engine/open-memory.ts'
import type { Identifiers } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { ListRequest, MemoryPatch, NewMemory } from '../../model/schema.ts'
import { memoryStorage } from '../../storage/reference/reference-storage.ts'
import { clock, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

const STEPS = 160
const WORDS = 'disk cache queue backup deploy timeout replica index token worker nightly restart slow full stale'.split(
  ' ',
)
const PROJECTS = ['shop', 'lab']
const READERS: Identifiers[] = [
  { projectId: 'shop' },
  { projectId: 'lab', agentId: 'miso' },
  { agentId: 'miso' },
  { userId: 'ann', projectId: 'shop', agentId: 'miso' },
]
const NARROWINGS: ListRequest[] = [
  {},
  { includeInactive: true },
  { tags: ['red', 'green'] },
  { service: null },
  { category: 'timing', includeInactive: true },
  { filter: { size: { gte: 4 } } },
  { filter: { 'build.id': { lt: 5 } }, service: 'web' },
]

/** The same random history on this storage and on the reference: both must tell the same afterwards. */
export function describeReference(target: ConformanceTarget): void {
  describe('against the reference', () => {
    const store = useStore(target)

    it.each([1, 2, 3])(
      'the same writes lead to the same answers, whichever handle is asked (seed %i)',
      async (seed) => {
        const random = randomFrom(seed)
        const time = clock()
        const options = { now: time.now, embedding: hashingEmbedding() }
        const reference = await openMemory({ ...options, storage: memoryStorage() })
        const handles = [await store.engine(options), await store.engine(options)]
        // Ids differ between the two, so memories are told apart by their place in the order of adding.
        const ids: { reference: string; own: string }[] = []
        const remember = (expected: readonly Memory[], actual: readonly Memory[]) =>
          expected.forEach((memory, i) => {
            ids.push({ reference: memory.id, own: actual[i]!.id })
          })
        for (let step = 0; step < STEPS; step++) {
          // Within one millisecond the ids of two handles have no order between them.
          time.advance(1)
          const handle = handles[random(2)]!
          const pair = ids[random(ids.length)]
          const action = random(10)
          if (action < 4 || !pair) {
            const input = randomMemory(random)
            remember([(await reference.add(input)).memory], [(await handle.add(input)).memory])
          } else if (action === 4) {
            const inputs = Array.from({ length: 1 + random(6) }, () => randomMemory(random))
            remember((await reference.bulkAdd(inputs)).memories, (await handle.bulkAdd(inputs)).memories)
          } else if (action < 8) {
            const patch = randomPatch(random)
            const outcome = (engine: Nokosu, id: string) =>
              engine.update(id, patch).then(
                ({ memory, embeddingRegenerated }) => ({ ...memory, id: '', embeddingRegenerated }),
                (error: { code: string }) => error.code,
              )
            expect(await outcome(handle, pair.own)).toEqual(await outcome(reference, pair.reference))
          } else if (action === 8) {
            await reference.delete(pair.reference)
            await handle.delete(pair.own)
          } else {
            time.advance(random(3) * 500)
          }
          if (step % 20 === 19) await compare(reference, handles[random(2)]!)
        }
        for (const handle of handles) await compare(reference, handle)
        for (const pair of ids)
          expect(await trace(handles[0]!, pair.own)).toEqual(await trace(reference, pair.reference))
        await reference.shutdown()
      },
    )

    it('a scope of many memories, changed by one handle, reads the same warm, changed and cold', async () => {
      const random = randomFrom(7)
      const options = { now: clock().now, embedding: hashingEmbedding() }
      const reference = await openMemory({ ...options, storage: memoryStorage() })
      const [warm, writer] = [await store.engine(options), await store.engine(options)]
      const inputs = Array.from({ length: 700 }, (_, i) =>
        sample({ content: `${randomText(random)} ${i}`, service: 'web' }),
      )
      const expected = (await reference.bulkAdd(inputs)).memories
      const actual = (await writer.bulkAdd(inputs)).memories
      await compare(reference, warm)
      for (let i = 0; i < 60; i++) {
        const place = random(inputs.length)
        const [theirs, ours] = [expected[place]!.id, actual[place]!.id]
        if (i % 3 === 0 || (await reference.get(theirs)) === null) {
          await reference.delete(theirs)
          await writer.delete(ours)
        } else {
          const patch = i % 3 === 1 ? { content: `${randomText(random)} again ${i}` } : { active: false }
          await reference.update(theirs, patch)
          await writer.update(ours, patch)
        }
      }
      for (const handle of [warm, writer, await store.engine(options)]) await compare(reference, handle)
    })
  })
}

async function compare(reference: Nokosu, engine: Nokosu): Promise<void> {
  const { sizeBytes: _, ...expected } = await reference.stats()
  expect(await engine.stats()).toMatchObject(expected)
  for (const identifiers of READERS) {
    for (const narrow of NARROWINGS) {
      const title = JSON.stringify({ identifiers, narrow })
      const list = async (from: Nokosu) => {
        const { memories, totalCount } = await from.list({ ...narrow, identifiers, limit: 30 })
        return { memories: memories.map(anonymous), totalCount }
      }
      expect(await list(engine), title).toEqual(await list(reference))
      const search = async (from: Nokosu) => {
        const request = {
          ...narrow,
          identifiers,
          query: 'backup queue restart',
          mode: 'semantic' as const,
          threshold: 0.5,
        }
        const { results, totalCount } = await from.search({ ...request, limit: 8 })
        return { totalCount, results: results.map(({ memory, score }) => ({ memory: anonymous(memory), score })) }
      }
      expect(await search(engine), title).toEqual(await search(reference))
    }
  }
}

async function trace(engine: Nokosu, id: string) {
  const changes = await engine.history(id)
  return changes.map(({ version, operation, before, after }) => ({
    version,
    operation,
    before: before && anonymous(before),
    after: after && anonymous(after),
  }))
}

function anonymous(memory: Memory): Memory {
  return { ...memory, id: '' }
}

type Random = (below: number) => number

/** Small, seeded, the same everywhere (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

function randomText(random: Random): string {
  return Array.from({ length: 3 + random(5) }, () => WORDS[random(WORDS.length)]!).join(' ')
}

function randomMemory(random: Random): NewMemory {
  const projectId = PROJECTS[random(PROJECTS.length)]!
  const places = [
    { layer: 'project' as const, identifiers: { projectId } },
    { layer: 'project' as const, identifiers: { projectId } },
    { layer: 'agent' as const, identifiers: { agentId: 'miso', projectId } },
    { layer: 'agent' as const, identifiers: { agentId: 'miso' } },
    { layer: 'user' as const, identifiers: { userId: 'ann' } },
  ]
  return sample({
    ...places[random(places.length)]!,
    content: randomText(random),
    category: random(2) === 0 ? 'timing' : 'learning',
    service: random(2) === 0 ? 'web' : null,
    tags: ['red', 'green', 'blue'].filter(() => random(3) === 0),
    metadata: { size: random(8), build: { id: random(10) } },
    ...(random(5) === 0 ? { expiresAt: '2026-03-01T00:00:05.000Z' } : {}),
    ...(random(4) === 0 ? { session: `run-${random(3)}` } : {}),
  })
}

function randomPatch(random: Random): MemoryPatch {
  const patches: MemoryPatch[] = [
    { content: randomText(random) },
    { metadata: { size: random(8), [`key${random(3)}`]: null } },
    { active: random(2) === 0 },
    { confidence: random(10) / 10 },
    { tags: ['green'], service: random(2) === 0 ? null : 'db' },
    { expiresAt: random(2) === 0 ? null : '2026-03-01T00:00:03.000Z' },
    { content: randomText(random), category: 'timing', version: 1 + random(3) },
  ]
  return patches[random(patches.length)]!
}
