import { expect } from 'vitest'
import type { Nokosu } from '../../../engine/nokosu.ts'
import type { Identifiers } from '../../../model/layer.ts'
import type { Memory } from '../../../model/memory.ts'
import type { ListRequest, MemoryPatch, NewMemory } from '../../../model/schema.ts'
import { referenceStorage } from '../../../storage/reference/reference-storage.ts'
import { group } from '../group.ts'
import { ALL, clock, type Random, randomFrom, sample } from '../samples.ts'
import { openPlain } from '../store-under-test.ts'

const STEPS = 90
const WORDS =
  'disk cache queue backup deploy timeout replica index nightly restart slow ночью диск ёлка 再起動は三分 ガード 한국어 άλφα'.split(
    ' ',
  )
const PROJECTS = ['shop', 'lab']
const READERS: Identifiers[] = [
  { projectId: 'shop' },
  { projectId: 'lab', agentId: 'miso' },
  { agentId: 'miso' },
  { userId: 'ann', projectId: 'shop', agentId: 'miso' },
]
const NARROWINGS: Omit<ListRequest, 'identifiers' | 'everything'>[] = [
  {},
  { includeInactive: true },
  { tags: ['red', 'green'] },
  { service: null },
  { category: 'timing', includeInactive: true },
  { filter: { size: { gte: 4 } } },
  { filter: { 'build.id': { lt: 5 } }, service: 'web' },
]
/** Every reader with every narrowing. */
const QUESTIONS = READERS.flatMap((_, place) => NARROWINGS.map((_, narrowing) => ({ place, narrowing })))
const QUERIES = ['backup queue restart', 'ночью диск', '再起動', 'ガード 한국어']

/** The same history, applied to this storage and to the reference through the engine: both must give the same answers. */
export const referenceCases = group('the engine over it, against the reference', (it) => {
  for (const seed of [1, 2]) {
    it(`the same writes lead to the same answers, whichever handle is asked (seed ${seed})`, async (store) => {
      const random = randomFrom(seed)
      const time = clock()
      const options = { now: time.now }
      const reference = await openPlain({ ...options, storage: referenceStorage() })
      const handles = [await store.engine(options), await store.engine(options)]
      // Ids differ between the two, so memories are identified by their place in the order of adding.
      const ids: { reference: string; own: string }[] = []
      const remember = (expected: readonly Memory[], actual: readonly Memory[]) =>
        expected.forEach((memory, i) => {
          ids.push({ reference: memory.id, own: actual[i]!.id })
        })
      for (let step = 0; step < STEPS; step++) {
        // Within one millisecond the ids of two handles have no order.
        time.advance(1)
        const handle = handles[random(2)]!
        const pair = ids[random(ids.length)]
        const action = random(12)
        if (action < 4 || !pair) {
          const input = randomMemory(random)
          remember([(await reference.add(input)).memory], [(await handle.add(input)).memory])
        } else if (action === 4) {
          const inputs = Array.from({ length: 1 + random(6) }, () => randomMemory(random))
          remember((await reference.bulkAdd(inputs)).memories, (await handle.bulkAdd(inputs)).memories)
        } else if (action < 8) {
          const patch = randomPatch(random)
          const outcome = (engine: Nokosu, id: string) =>
            engine.update(id, patch, ALL).then(
              ({ memory, embeddingRegenerated }) => ({ ...memory, id: '', embeddingRegenerated }),
              (error: { code: string }) => error.code,
            )
          expect(await outcome(handle, pair.own)).toEqual(await outcome(reference, pair.reference))
        } else if (action === 8) {
          await reference.delete(pair.reference, ALL)
          await handle.delete(pair.own, ALL)
        } else if (action === 9) {
          const said = randomSaying(random)
          const kinds = async (engine: Nokosu) =>
            (await engine.remember([said.candidate], said.target)).map(({ kind, reason }) => [kind, reason])
          expect(await kinds(handle)).toEqual(await kinds(reference))
        } else {
          time.advance(random(3) * 500)
        }
        if (step % 30 === 29)
          await compare(
            reference,
            handles[random(2)]!,
            QUESTIONS.filter(() => random(4) === 0),
          )
      }
      for (const handle of handles)
        await compare(
          reference,
          handle,
          QUESTIONS.filter(() => random(3) === 0),
        )
      for (const pair of ids) {
        expect(await trace(handles[0]!, pair.own)).toEqual(await trace(reference, pair.reference))
      }
      await reference.shutdown()
    })
  }

  it('a scope of many memories, changed by one handle, reads the same warm, changed and cold', async (store) => {
    const random = randomFrom(7)
    const few = QUESTIONS.filter(({ place, narrowing }) => place === 0 && narrowing < 3)
    const options = { now: clock().now }
    const reference = await openPlain({ ...options, storage: referenceStorage() })
    const [warm, writer] = [await store.engine(options), await store.engine(options)]
    const inputs = Array.from({ length: 300 }, (_, i) =>
      sample({ content: `${randomText(random)} ${i}`, service: 'web' }),
    )
    const expected = (await reference.bulkAdd(inputs)).memories
    const actual = (await writer.bulkAdd(inputs)).memories
    await compare(reference, warm, few)
    for (let i = 0; i < 30; i++) {
      const place = random(inputs.length)
      const [theirs, ours] = [expected[place]!.id, actual[place]!.id]
      if (i % 3 === 0 || (await reference.get(theirs, ALL)) === null) {
        await reference.delete(theirs, ALL)
        await writer.delete(ours, ALL)
      } else {
        const patch = i % 3 === 1 ? { content: `${randomText(random)} again ${i}` } : { active: false }
        await reference.update(theirs, patch, ALL)
        await writer.update(ours, patch, ALL)
      }
    }
    for (const handle of [warm, writer, await store.engine(options)]) await compare(reference, handle, few)
  })
})

async function compare(reference: Nokosu, engine: Nokosu, questions: typeof QUESTIONS): Promise<void> {
  const { sizeBytes: _, ...expected } = await reference.stats()
  expect(await engine.stats()).toMatchObject(expected)
  for (const { place, narrowing } of questions) {
    const [identifiers, narrow] = [READERS[place]!, NARROWINGS[narrowing]!]
    const query = QUERIES[(place + narrowing) % QUERIES.length]!
    const title = JSON.stringify({ identifiers, narrow, query })
    const list = async (from: Nokosu) => {
      const { memories, totalCount } = await from.list({ ...narrow, identifiers, limit: 30 })
      return { memories: memories.map(anonymous), totalCount }
    }
    expect(await list(engine), title).toEqual(await list(reference))
    for (const mode of ['semantic', 'keyword'] as const) {
      const search = async (from: Nokosu) => {
        const { results } = await from.search({ ...narrow, identifiers, query, mode, threshold: 0.3, limit: 100 })
        return results.map(({ memory, score }) => ({ memory: anonymous(memory), score })).sort(byContent)
      }
      const [actual, wanted] = [await search(engine), await search(reference)]
      const memories = (found: readonly Scored[]) => found.map(({ memory }) => memory)
      // Which of two nearly equal ones comes hundredth is not compared.
      if (wanted.length < 100) expect(memories(actual), `${mode} ${title}`).toEqual(memories(wanted))
      else expect(actual).toHaveLength(100)
      // Vectors may be kept as 16-bit floats.
      const scores = (found: readonly Scored[]) => found.map(({ score }) => score).sort((a, b) => b - a)
      const close = scores(wanted).every((score, n) => Math.abs(scores(actual)[n]! - score) < 0.001)
      expect(close, `scores: ${mode} ${title}`).toBe(true)
    }
  }
}

type Scored = { memory: Memory; score: number }

/** Memories with nearly equal scores may come in any order. */
function byContent(a: Scored, b: Scored): number {
  const [first, second] = [JSON.stringify(a.memory), JSON.stringify(b.memory)]
  return first < second ? -1 : first > second ? 1 : 0
}

async function trace(engine: Nokosu, id: string) {
  const { changes } = await engine.history(id, ALL)
  return changes.map(({ version, operation, at, by, after }) => ({
    version,
    operation,
    at,
    by,
    after: after && anonymous(after),
  }))
}

function anonymous(memory: Memory): Memory {
  return { ...memory, id: '', links: memory.links.map((link) => ({ ...link, memory: '' })) }
}

function randomText(random: Random): string {
  return Array.from({ length: 3 + random(5) }, () => WORDS[random(WORDS.length)]!).join(' ')
}

function randomSaying(random: Random) {
  return {
    candidate: {
      content: `The ${randomText(random)}`,
      category: 'timing' as const,
      service: random(2) === 0 ? 'web' : null,
    },
    target: { identifiers: { projectId: PROJECTS[random(2)]! }, session: `run-${random(3)}` },
  }
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
