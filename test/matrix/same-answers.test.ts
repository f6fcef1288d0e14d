import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { MemoryError } from '../../src/model/errors.ts'
import type { NewMemory } from '../../src/model/schema.ts'
import { ALL, clock, type Random, randomFrom } from '../../src/testing/conformance/samples.ts'
import { decodeFloat16, encodeFloat16 } from '../../src/vector/float16.ts'
import { serveForTest } from '../mcp/serve-for-test.ts'
import { BACKENDS } from './backends.ts'
import { mirror } from './mirror.ts'
import { QUESTIONS, randomMemory, randomPatch, randomSaying } from './random-operations.ts'

const STEPS = 140

/** One engine writes to all stores, so that all have the same ids. Then each is queried by its own engine. */
test.each([1, 2])('every backend gives the same answers to the last field (seed %i)', async (seed) => {
  const stores = await Promise.all(BACKENDS.map(({ create }) => create()))
  const time = clock()
  const options = { now: time.now, embedding: exactEmbedding(), relations: null }
  const writer = await openMemory({ ...options, storage: mirror(stores.map((store) => store.open())) })
  const readers = await Promise.all(stores.map((store) => openMemory({ ...options, storage: store.open() })))
  // Also through a server, as from another machine; its store is the second, SQLite.
  const token = 'nko_the-key-of-this-test'
  const { url } = await serveForTest(readers[1]!, { operatorKey: token })
  readers.push(await openMemory({ storage: url, token }))
  const names = [...BACKENDS.map(({ name }) => name), 'sqlite by URL']
  onTestFinished(async () => {
    for (const engine of [writer, ...readers]) await engine.shutdown()
    for (const store of stores) await store.destroy()
  })
  const random = randomFrom(seed)
  const ids: string[] = []
  for (let step = 0; step < STEPS; step++) {
    time.advance(random(3))
    ids.push(...(await operate(writer, random, ids)))
  }
  for (const { title, ask } of QUESTIONS(ids, random)) {
    const [wanted, ...others] = await Promise.all(readers.map((reader) => outcome(() => ask(reader))))
    for (const [i, other] of others.entries()) {
      expect.soft(rounded(other), `${names[i + 1]!}: ${title}`).toEqual(rounded(wanted))
    }
  }
})

test('an engine by URL does what the engine does, to the last field', async () => {
  const time = clock()
  const options = { now: time.now, embedding: exactEmbedding(), relations: null, actor: 'local' }
  const [here, there] = [
    await openMemory({ ...options, storage: 'memory:' }),
    await openMemory({ ...options, storage: 'memory:' }),
  ]
  const token = 'nko_the-key-of-this-test'
  const { url } = await serveForTest(there, { operatorKey: token })
  const remote = await openMemory({ storage: url, token })
  onTestFinished(async () => {
    for (const engine of [remote, here, there]) await engine.shutdown()
  })
  const engines = [here, remote] as const
  const randoms = [randomFrom(7), randomFrom(7)] as const
  const ids: [string[], string[]] = [[], []]
  for (let step = 0; step < STEPS; step++) {
    time.advance(randomFrom(step)(3))
    for (const side of [0, 1] as const) ids[side].push(...(await operate(engines[side], randoms[side], ids[side])))
  }
  expect(ids[1]).toHaveLength(ids[0].length)
  const [left, right] = [0, 1].map((side) => QUESTIONS(ids[side as 0 | 1], randoms[side as 0 | 1]))
  for (const [i, { title, ask }] of left!.entries()) {
    const wanted = named(rounded(await outcome(() => ask(here))), ids[0])
    expect.soft(named(rounded(await outcome(() => right![i]!.ask(remote))), ids[1]), title).toEqual(wanted)
  }
})

/** Ids replaced by their creation order, because two engines generate different ones. */
function named(value: unknown, ids: readonly string[]): unknown {
  const text = ids.reduce((all, id, i) => all.replaceAll(id, `id-${i}`), JSON.stringify(value) ?? 'null')
  return JSON.parse(
    text
      .replace(/(\\?"(?:nextCursor|by)\\?":\\?")[^"\\]*/g, '$1x')
      .replace(/\b[0-9a-f]{32}\b/g, 'HASH')
      .replace(/[0-9A-HJKMNP-TV-Z]{26}/g, 'ID'),
  )
}

/** Performs a random operation, which may fail. The mirror checks that all stores agree. Returns new ids. */
async function operate(writer: Nokosu, random: Random, ids: readonly string[]): Promise<string[]> {
  const id = ids[random(ids.length)] ?? 'none'
  const action = random(14)
  const made: string[] = []
  await outcome(async () => {
    if (action < 5 || ids.length < 5) made.push((await writer.add(randomMemory(random))).memory.id)
    else if (action === 5) {
      const inputs: NewMemory[] = Array.from({ length: 1 + random(30) }, () => randomMemory(random))
      made.push(...(await writer.bulkAdd(inputs, { exact: true })).memories.map((memory) => memory.id))
    } else if (action < 8) await writer.update(id, randomPatch(random), ALL)
    else if (action === 8) await writer.delete(id, ALL)
    else if (action === 9) await writer.restore(id, ALL)
    else if (action === 10) {
      const { candidate, target } = randomSaying(random)
      await writer.remember([candidate], target)
    } else if (action === 11) {
      const session = { id: `run-${random(4)}`, agent: 'miso', project: 'shop' }
      await writer.beginSession(session)
      if (random(2) === 0) await writer.endSession(session.id, { exitCode: random(2) })
    } else if (action === 12) {
      const entries = [id, ids[0]!].map((memory, position) => ({ memory, position, tokens: random(50) }))
      await writer.recordShowing({ ...ALL, session: `run-${random(4)}`, format: 'file', entries })
    } else await writer.sweep()
  })
  return made
}

/** The answer, or the code of the failure. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (MemoryError.is(error)) return { code: error.code, retryable: error.retryable, field: error.details.field }
    throw error
  }
}

/** Rounded to a millionth, because stores compare vectors in floats of different widths. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6
  if (Array.isArray(value)) return value.map(rounded)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]))
}

/** Vectors that 16-bit floats represent exactly, with zeros of both signs, so that storing loses nothing. */
function exactEmbedding(): EmbeddingProvider {
  const hashing = hashingEmbedding({ dimensions: 64 })
  return {
    name: 'test:exact',
    dimensions: 64,
    embed: async (texts) =>
      (await hashing.embed(texts)).map((vector) => {
        const exact = decodeFloat16(encodeFloat16(vector), 64)
        return exact.map((value, i) => (value === 0 && i % 2 === 0 ? -0 : value))
      }),
  }
}
