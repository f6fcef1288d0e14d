import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { type Nokosu, openMemory } from '../engine/open-memory.ts'
import { exportStore } from './export.ts'
import { importStore } from './import.ts'

const open = () => openMemory({ storage: 'sqlite::memory:', embedding: hashingEmbedding() })
const shop = { projectId: 'shop' }

async function lines(engine: Nokosu): Promise<string[]> {
  const all = await Array.fromAsync(exportStore(engine))
  return all.slice(1)
}

async function* each(all: readonly string[]): AsyncGenerator<string> {
  yield* all
}

async function filled(): Promise<Nokosu> {
  const engine = await open()
  await engine.setDirectory({ projectId: 'shop', teamId: 'web', companyId: 'acme' })
  const { memory } = await engine.add({
    content: 'Takes 60s to start',
    layer: 'project',
    identifiers: shop,
    session: 'run-1',
    tags: ['boot'],
  })
  await engine.update(memory.id, { content: 'Takes 90s to start', metadata: { seen: [1, { deep: null }] } })
  const gone = await engine.add({ content: 'soon gone', layer: 'project', identifiers: shop })
  await engine.delete(gone.memory.id)
  await engine.add({
    content: 'for the agent',
    layer: 'agent',
    identifiers: { agentId: 'nori', ...shop },
    confidence: 0.1,
  })
  await engine.personality.set({ agentName: 'wasabi', displayName: 'Wasabi', persona: 'Sharp.', traits: ['brief'] })
  for (let showing = 0; showing < 2; showing++) {
    await engine.context({ identifiers: shop, session: 'run-2' })
  }
  await engine.storage.addEvent({
    at: '2026-03-01T00:00:00.000Z',
    type: 'submission',
    session: 'run-2',
    identifiers: shop,
    data: { files: ['a.ts'], commit: null },
  })
  return engine
}

it('comes back exactly: memories, vectors, history of deleted ones too, sessions, directory, personalities, showings, events', async () => {
  const source = await filled()
  const target = await open()
  const report = await importStore(target, each(await lines(source)))
  expect(report).toEqual({
    added: { memories: 2, changes: 5, sessions: 2, directory: 2, personalities: 1, injections: 2, events: 1 },
    existing: 0,
    differing: [],
    bad: [],
  })
  expect(await lines(target)).toEqual(await lines(source))
  const found = await target.search({
    query: 'takes 90s to start',
    identifiers: shop,
    mode: 'semantic',
    threshold: 0.9,
  })
  expect(found.results).toHaveLength(1)
})

it('reads an export from before there were personalities, showings and events', async () => {
  const all = await lines(await filled())
  const older = all.filter((line) => !/^{"type":"(?:personality|injection|event)"/.test(line))
  const report = await importStore(await open(), each(older))
  expect(report).toMatchObject({ added: { memories: 2, changes: 5, personalities: 0, events: 0 }, bad: [] })
})

it('does not replace a personality that is there', async () => {
  const all = await lines(await filled())
  const target = await open()
  const mine = await target.personality.set({ agentName: 'wasabi', displayName: 'Mine', persona: 'Mild.' })
  expect((await importStore(target, each(all))).added.personalities).toBe(0)
  expect(await target.personality.get('wasabi')).toEqual(mine)
})

it('changes nothing the second time, and finishes what was cut off', async () => {
  const all = await lines(await filled())
  const target = await open()
  await importStore(target, each(all.slice(0, 5)))
  await importStore(target, each(all))
  const before = await lines(target)
  const again = await importStore(target, each(all))
  expect(again).toMatchObject({
    added: { memories: 0, changes: 0, sessions: 0, directory: 0, personalities: 0, injections: 0, events: 0 },
    existing: 2,
    differing: [],
  })
  expect(await lines(target)).toEqual(before)
  expect(before).toEqual(all)
})

it('reports bad lines with their number and imports the rest', async () => {
  const all = await lines(await filled())
  const memory = JSON.parse(all.find((line) => line.includes('"type":"memory"'))!)
  const spoiled = [
    'not json',
    JSON.stringify({ ...memory, memory: { ...memory.memory, id: 'x1', layer: 'galaxy' } }),
    JSON.stringify({ ...memory, memory: { ...memory.memory, id: 'x2', identifiers: {} } }),
    JSON.stringify({ type: 'surprise' }),
    ...all,
  ]
  const target = await open()
  const report = await importStore(target, each(spoiled))
  expect(report.bad.map((bad) => bad.line)).toEqual([1, 2, 3, 4])
  expect(report.bad[1]!.reason).toContain('memory.layer')
  expect(report.added.memories).toBe(2)
})

it('leaves what is there as it is, and says where the file differs', async () => {
  const source = await filled()
  const all = await lines(source)
  const { memories } = await source.list({ identifiers: shop })
  await source.update(memories[0]!.id, { importance: 99 })
  const report = await importStore(source, each(all))
  expect(report.differing.map((entry) => entry.id)).toEqual([memories[0]!.id])
  expect((await source.get(memories[0]!.id))!.importance).toBe(99)
})

it('refuses a file of a later version as a whole', async () => {
  const target = await open()
  await expect(importStore(target, each([JSON.stringify({ nokosu: 'export', version: 2 })]))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
})
