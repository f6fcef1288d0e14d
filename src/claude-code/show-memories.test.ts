import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { type Nokosu, openMemory } from '../engine/open-memory.ts'
import { memoryStorage } from '../storage/reference/reference-storage.ts'
import { type Showing, type Shown, type ShowRequest, showMemories } from './show-memories.ts'

async function open(): Promise<Nokosu> {
  const engine = await openMemory({ storage: memoryStorage(), embedding: hashingEmbedding() })
  onTestFinished(() => engine.shutdown())
  return engine
}

const identifiers = { projectId: 'shop' }

function begin(engine: Nokosu, request: Partial<ShowRequest> = {}): Showing {
  return showMemories(engine, { project: 'shop', query: null, characters: 8000, session: 's1', ...request })
}

/** The last look, and what was recorded. */
async function show(engine: Nokosu, request: Partial<ShowRequest> = {}): Promise<[Shown, Shown]> {
  const { look, record } = begin(engine, request)
  const looks = await Array.fromAsync(look())
  return [looks.at(-1)!, await record()]
}

async function addTimings(engine: Nokosu, count: number): Promise<void> {
  await engine.bulkAdd!(
    Array.from({ length: count }, (_, i) => ({
      content: `The nightly job number ${i} takes ${i + 10} minutes on the build machine`,
      layer: 'project' as const,
      identifiers,
      category: 'timing' as const,
      confidence: 0.9,
    })),
  )
}

const DECISION = 'The login redirect keeps the query string'

function addDecision(engine: Nokosu) {
  return engine.add({ content: DECISION, layer: 'project', identifiers, category: 'decision' })
}

it('a look comes first, and the recorded answer says the same', async () => {
  const engine = await open()
  await addTimings(engine, 3)
  const [looked, recorded] = await show(engine)
  expect(looked.text).toMatch(/^## Operational Memory \(3 memories/)
  expect(recorded).toEqual(looked)
  const [block] = await engine.injections('s1')
  expect(block).toMatchObject({ format: 'operational' })
})

it('a look alone changes nothing', async () => {
  const engine = await open()
  await addTimings(engine, 1)
  await addDecision(engine)
  expect(await Array.fromAsync(begin(engine, { query: 'login redirect' }).look())).toHaveLength(2)
  expect(await engine.injections('s1')).toEqual([])
  expect((await engine.sessions()).totalCount).toBe(0)
})

it('what the branch is about is found beyond the surest memories, and recorded', async () => {
  const engine = await open()
  await addTimings(engine, 3)
  const { memory } = await addDecision(engine)
  const [, { text }] = await show(engine, { query: 'login redirect' })
  expect(text).toContain('## Relevant Memory')
  expect(text.split(DECISION)).toHaveLength(2)
  const ids = (await engine.injections('s1')).filter(({ format }) => format === 'query').map(({ memory: id }) => id)
  expect(ids).toEqual([memory.id])
})

it('nothing is shown twice', async () => {
  const engine = await open()
  await engine.add({ content: 'The login redirect takes 3 s', layer: 'project', identifiers, category: 'timing' })
  await addDecision(engine)
  const [, { text }] = await show(engine, { query: 'login redirect' })
  expect(text.match(/The login redirect takes 3 s/g)).toHaveLength(1)
  expect(text).toContain(DECISION)
})

it.each([60, 400, 1000, 2500, 8000])(
  'stays within %i characters, with room left for the branch',
  async (characters) => {
    const engine = await open()
    await addTimings(engine, 150)
    await addDecision(engine)
    for (const { text } of await show(engine, { query: 'login redirect', characters })) {
      expect(text.length).toBeLessThanOrEqual(characters)
      if (characters >= 1000) expect(text).toContain(DECISION)
    }
  },
)

it('of other projects nothing is shown', async () => {
  const engine = await open()
  await addDecision(engine)
  await addTimings(engine, 2)
  expect(await show(engine, { project: 'other', query: 'login redirect' })).toEqual([
    { text: '', notes: [] },
    { text: '', notes: [] },
  ])
})

it('a search that fails costs only what it would have found, and is told', async () => {
  const engine = await open()
  await addTimings(engine, 1)
  await addDecision(engine)
  const broken: Nokosu = { ...engine, search: () => Promise.reject(new Error('the model is not there')) }
  const [, { text, notes }] = await show(broken, { query: 'login redirect' })
  expect(text).toContain('nightly job')
  expect(notes).toEqual([expect.stringContaining('the model is not there')])
})
