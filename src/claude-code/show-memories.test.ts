import { expect, it } from 'vitest'
import { connectTo, openEngine } from '../../test/remote-store.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { type ShownBlocks, type ShowRequest, showMemories } from './show-memories.ts'

const identifiers = { projectId: 'shop' }

/** All blocks that were yielded, each better than the one before. */
function show(engine: Nokosu, request: Partial<ShowRequest> = {}): Promise<ShownBlocks[]> {
  const asked = { identifiers, query: null, characters: 8000, ...request }
  return Array.fromAsync(showMemories(connectTo(engine), asked, () => 5000))
}

async function addTimings(engine: Nokosu, count: number): Promise<void> {
  await engine.bulkAdd(
    Array.from({ length: count }, (_, i) => ({
      content: `The nightly job number ${i} takes ${i + 10} minutes on the build machine`,
      layer: 'project' as const,
      identifiers,
      category: 'timing' as const,
      confidence: 0.9,
    })),
    { exact: true },
  )
}

const REJECTION = 'The login redirect keeps the query string'

/** A reviewer's memory: unlike an operator's, it is not part of the first block. */
function addRejection(engine: Nokosu) {
  const reviewer = engine.as({ ...identifiers, agentId: 'koji' })
  return reviewer.add({ content: REJECTION, layer: 'project', category: 'rejection' })
}

it('the surest memories come first, and alone when nothing says what the session is about', async () => {
  const engine = await openEngine()
  await addTimings(engine, 3)
  const [only, ...others] = await show(engine)
  expect(only!.text).toMatch(/^## Operational Memory \(3 memories/)
  expect(only!.blocks).toMatchObject([{ format: 'operational', entries: [{ position: 0 }, {}, {}] }])
  expect(others).toEqual([])
})

it('looking changes nothing', async () => {
  const engine = await openEngine()
  await addTimings(engine, 1)
  await addRejection(engine)
  expect(await show(engine, { query: 'login redirect' })).toHaveLength(2)
  const { memories } = await engine.list({ identifiers })
  expect(memories.map(({ recallCount }) => recallCount)).toEqual([0, 0])
  expect((await engine.sessions({ everything: true })).sessions).toEqual([])
})

it('what the branch is about is found beyond the surest memories', async () => {
  const engine = await openEngine()
  await addTimings(engine, 3)
  const { memory } = await addRejection(engine)
  const { text, blocks } = (await show(engine, { query: 'login redirect' })).at(-1)!
  expect(text).toContain('## Relevant Memory')
  expect(text.split(REJECTION)).toHaveLength(2)
  expect(blocks.find(({ format }) => format === 'query')!.entries).toMatchObject([{ memory: memory.id, position: 0 }])
})

it('nothing is shown twice', async () => {
  const engine = await openEngine()
  await engine.add({ content: 'The login redirect takes 3 s', layer: 'project', identifiers, category: 'timing' })
  await addRejection(engine)
  const { text } = (await show(engine, { query: 'login redirect' })).at(-1)!
  expect(text.match(/The login redirect takes 3 s/g)).toHaveLength(1)
  expect(text).toContain(REJECTION)
})

it.each([60, 400, 1000, 2500, 8000])(
  'stays within %i characters, with room left for the branch',
  async (characters) => {
    const engine = await openEngine()
    await addTimings(engine, 150)
    await addRejection(engine)
    const answers = await show(engine, { query: 'login redirect', characters })
    for (const { text } of answers) expect(text.length).toBeLessThanOrEqual(characters)
    if (characters >= 1000) expect(answers.at(-1)!.text).toContain(REJECTION)
  },
)

it('of other projects nothing is shown', async () => {
  const engine = await openEngine()
  await addRejection(engine)
  await addTimings(engine, 2)
  const asked = { identifiers: { projectId: 'other' }, query: 'login redirect' }
  expect(await show(engine, asked)).toEqual([{ text: '', blocks: [] }])
})

it('a search that fails costs only what it would have found', async () => {
  const engine = await openEngine()
  await addTimings(engine, 1)
  await addRejection(engine)
  const broken: Nokosu = { ...engine, search: () => Promise.reject(new Error('the model is not there')) }
  const shown: string[] = []
  const looking = async () => {
    const asked = { identifiers, query: 'login redirect', characters: 8000 }
    for await (const { text } of showMemories(connectTo(broken), asked, () => 5000)) shown.push(text)
  }
  await expect(looking()).rejects.toThrow('the model is not there')
  expect(shown).toEqual([expect.stringContaining('nightly job')])
})
