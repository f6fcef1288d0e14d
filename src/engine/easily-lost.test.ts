/** One-line changes that the other tests once missed. Each test here fails if its line is changed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratchFolder } from '../../test/fixtures/scratch-folder.ts'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { DECAY } from '../model/memory.ts'
import type { Capabilities } from '../storage/capabilities.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { type MemoryOptions, openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }
const DAY_MS = 86_400_000

async function open(options: Partial<MemoryOptions> = {}) {
  const memory = await openMemory({
    storage: referenceStorage(),
    embedding: hashingEmbedding(),
    relations: null,
    ...options,
  })
  onTestFinished(() => memory.shutdown())
  return memory
}

it('a reinforcement restarts decay: the next week beyond the grace takes a step again', async () => {
  let now = Date.parse('2026-03-01T00:00:00.000Z')
  const memory = await open({ now: () => new Date(now) })
  const shop = memory.as(SHOP)
  const said = [{ content: 'Takes 60s to start', category: 'timing' as const, service: 'web', confidence: 1 }]
  await shop.remember(said, { session: 'one' })
  now += (DECAY.graceDays + 3 * DECAY.stepDays) * DAY_MS
  const told: number[] = []
  expect(await memory.sweep({ onProgress: (done) => void told.push(done) })).toMatchObject({ decayed: 1 })
  expect(told).toEqual([1])
  const [outcome] = await shop.remember(said, { session: 'two' })
  if (outcome?.kind !== 'reinforce') throw new Error(`not as expected: ${outcome?.reason}`)
  const { id, confidence } = outcome.memory
  now += (DECAY.graceDays + DECAY.stepDays) * DAY_MS
  expect((await shop.get(id))!.confidence).toBeCloseTo(confidence - DECAY.step)
})

it('a keyed batch that is too large for one commit is stored whole, once', async () => {
  const memory = await open({ storage: referenceStorage({ mode: { maxWrites: 7 } }) })
  const shop = memory.as(SHOP)
  const said = Array.from({ length: 24 }, (_, i) => ({
    content: `Service number ${i} listens on port ${4000 + i}`,
    category: 'behavior' as const,
    service: `service-${i}`,
  }))
  const first = await shop.remember(said, { key: 'batch' })
  expect(first.map(({ kind }) => kind)).toEqual(said.map(() => 'insert'))
  const stored = async () => (await shop.list({ limit: 100 })).memories.map(({ content }) => content).sort()
  expect(await stored()).toEqual(said.map(({ content }) => content).sort())
  expect(await shop.remember(said, { key: 'batch' })).toEqual(first)
  expect(await stored()).toHaveLength(said.length)
})

it('a store without an index of its own gives every memory the same score', async () => {
  const shared = referenceData()
  const scores = async (mode: Partial<Capabilities>) => {
    const memory = await open({ storage: referenceStorage({ shared, mode }) })
    const { results } = await memory.as(SHOP).search({ query: 'quokka backup restore', threshold: 0, limit: 50 })
    return results.map(({ memory: { content }, score }) => [content, score])
  }
  const memory = await open({ storage: referenceStorage({ shared }) })
  const texts = ['The quokka holds the backup', ...Array.from({ length: 12 }, (_, i) => `Backup ${i} takes a while`)]
  for (const content of texts) await memory.add({ content, layer: 'project', identifiers: SHOP })
  const expected = await scores({})
  expect(expected).toHaveLength(texts.length)
  expect(await scores({ vectorSearch: false })).toEqual(expected)
  expect(await scores({ keywordSearch: false })).toEqual(expected)
  expect(await scores({ keywordSearch: false, vectorSearch: false })).toEqual(expected)
})

it('a code is as rare as its rarest part', async () => {
  const memory = await open()
  const shop = memory.as(SHOP)
  const texts = [
    'Error PAY-4021 means that the card expired',
    ...Array.from({ length: 30 }, (_, i) => `PAY handles invoice ${i}`),
  ]
  for (const content of texts) await memory.add({ content, layer: 'project', identifiers: SHOP })
  const { results } = await shop.search({ query: 'PAY-4021', explain: true, threshold: 0 })
  const weights = new Map(results[0]!.explanation!.terms.map(({ term, weight }) => [term, weight]))
  expect(results[0]!.memory.content).toBe(texts[0])
  expect(weights.get('pay-4021')).toBe(weights.get('4021'))
  expect(weights.get('pay')).toBeLessThan(weights.get('4021')!)
})

it('the dry run of a sweep counts what is beyond the caps, and leaves it active', async () => {
  const memory = await open()
  const shop = memory.as(SHOP)
  for (let i = 0; i < 45; i++) {
    await shop.add({ content: `Rejected for reason ${i}`, layer: 'project', category: 'hint', exact: true })
  }
  const active = async () => (await shop.list({ limit: 1 })).totalCount
  const { retired } = await memory.sweep({ dryRun: true })
  expect(retired).toBeGreaterThan(0)
  expect(await active()).toBe(45)
  expect(await memory.sweep()).toMatchObject({ retired })
  expect(await active()).toBe(45 - retired)
})

it('a word that only a tag holds finds the memory', async () => {
  const shop = (await open()).as(SHOP)
  await shop.add({ content: 'Restarts every night', layer: 'project', tags: ['jellyfin'], exact: true })
  await shop.add({ content: 'Mail leaves at noon', layer: 'project', exact: true })
  const { results } = await shop.search({ query: 'jellyfin', mode: 'keyword', threshold: 0, explain: true })
  expect(results.map(({ memory }) => memory.content)).toEqual(['Restarts every night'])
  expect(results[0]!.explanation!.keyword).toBeGreaterThan(0)
})

it('a correction leaves nothing of the words that it weakened once they are purged', async () => {
  const folder = scratchFolder()
  const file = join(folder, 'memory.db')
  const memory = await openMemory({ storage: `sqlite:${file}`, embedding: hashingEmbedding(), relations: null })
  const shop = memory.as(SHOP)
  const old = 'OTTERGATE closes at noon'
  const category = 'behavior' as const
  const [first] = await shop.remember([{ content: old, category }], { session: 'one' })
  const declares = { relation: 'corrects' as const, text: old }
  const [second] = await shop.remember([{ content: 'The gate closes at six', category, declares }], {
    session: 'two',
    key: 'two',
  })
  expect(second).toMatchObject({ kind: 'contradict', weakened: [{ content: old }] })
  if (first?.kind !== 'insert') throw new Error('not as expected')
  await shop.delete(first.memory.id)
  expect(await memory.purge({ before: new Date(Date.now() + 1000) })).toMatchObject({ erased: true })
  await memory.shutdown()
  expect(readFileSync(file).includes('OTTERGATE')).toBe(false)
})
