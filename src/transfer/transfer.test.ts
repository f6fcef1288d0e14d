import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { type Nokosu, openMemory } from '../engine/open-memory.ts'
import type { Memory } from '../model/memory.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'

const open = () => openMemory({ storage: referenceStorage(), embedding: hashingEmbedding() })
const shop = { projectId: 'shop' }
const all = { everything: true } as const

async function lines(engine: Nokosu): Promise<string[]> {
  return (await Array.fromAsync(engine.export(all))).slice(1)
}

async function* each(all: readonly string[]): AsyncGenerator<string> {
  yield* all
}

async function filled(): Promise<Nokosu> {
  const engine = await open()
  await engine.directory.set({ projectId: 'shop', teamId: 'web', companyId: 'acme' })
  const { memory } = await engine.add({
    exact: true,
    content: 'Takes 60s to start',
    layer: 'project',
    identifiers: shop,
    session: 'run-1',
    tags: ['boot'],
  })
  await engine.update(memory.id, { content: 'Takes 90s to start', metadata: { seen: [1, { deep: null }] } }, all)
  const gone = await engine.add({ exact: true, content: 'soon gone', layer: 'project', identifiers: shop })
  await engine.delete(gone.memory.id, all)
  await engine.add({
    exact: true,
    content: 'for the agent',
    layer: 'agent',
    identifiers: { agentId: 'nori', ...shop },
    confidence: 0.1,
  })
  await engine.personality.set({ agentName: 'wasabi', displayName: 'Wasabi', persona: 'Sharp.', traits: ['brief'] })
  for (let showing = 0; showing < 2; showing++) {
    await engine.context({ identifiers: shop, session: 'run-2' })
  }
  await engine.record({ type: 'hint', projectId: 'shop', summary: 'Look at the log first' }, { session: 'run-2' })
  return engine
}

it('comes back exactly: memories, vectors, history of deleted ones too, sessions, directory, personalities, showings, events', async () => {
  const source = await filled()
  const target = await open()
  const report = await target.import(each(await lines(source)), { keepTrust: true })
  expect(report).toEqual({
    added: {
      memories: 3,
      changes: 6,
      sessions: 2,
      directory: 2,
      tokens: 0,
      personalities: 1,
      injections: 2,
      events: 1,
    },
    withoutVector: 0,
    held: 0,
    marked: 0,
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
  const exported = await lines(await filled())
  const older = exported.filter((line) => !/^{"type":"(?:personality|injection|event)"/.test(line))
  const report = await (await open()).import(each(older))
  expect(report).toMatchObject({ added: { memories: 3, changes: 6, personalities: 0, events: 0 }, bad: [] })
})

it('does not replace a personality that is there', async () => {
  const exported = await lines(await filled())
  const target = await open()
  const mine = await target.personality.set({ agentName: 'wasabi', displayName: 'Mine', persona: 'Mild.' })
  expect((await target.import(each(exported))).added.personalities).toBe(0)
  expect(await target.personality.get('wasabi')).toEqual(mine)
})

it('changes nothing the second time, and finishes what was cut off', async () => {
  const exported = await lines(await filled())
  const target = await open()
  await target.import(each(exported.slice(0, 5)), { keepTrust: true })
  await target.import(each(exported), { keepTrust: true })
  const before = await lines(target)
  const again = await target.import(each(exported))
  expect(again).toMatchObject({
    added: {
      memories: 0,
      changes: 0,
      sessions: 0,
      directory: 0,
      tokens: 0,
      personalities: 0,
      injections: 0,
      events: 0,
    },
    existing: 3,
    differing: [],
  })
  expect(await lines(target)).toEqual(before)
  expect(before).toEqual(exported)
})

it('reports bad lines with their number and imports the rest', async () => {
  const exported = await lines(await filled())
  const memory = JSON.parse(exported.find((line) => line.includes('"type":"memory"'))!)
  const spoiled = [
    'not json',
    JSON.stringify({ ...memory, memory: { ...memory.memory, id: 'x1', layer: 'galaxy' } }),
    JSON.stringify({ ...memory, memory: { ...memory.memory, id: 'x2', identifiers: {} } }),
    JSON.stringify({ type: 'surprise' }),
    ...exported,
  ]
  const target = await open()
  const report = await target.import(each(spoiled))
  expect(report.bad.map((bad) => bad.line)).toEqual([1, 2, 3, 4])
  expect(report.bad[1]!.reason).toContain('memory.layer')
  expect(report.added.memories).toBe(3)
})

it('leaves what is there as it is, and says where the file differs', async () => {
  const source = await filled()
  const exported = await lines(source)
  const { memories } = await source.list({ identifiers: shop })
  await source.update(memories[0]!.id, { importance: 99 }, all)
  const report = await source.import(each(exported))
  expect(report.differing.map((entry) => entry.id)).toEqual([memories[0]!.id])
  expect((await source.get(memories[0]!.id, all))!.importance).toBe(99)
})

it('refuses a file of a later version as a whole', async () => {
  const target = await open()
  await expect(target.import(each([JSON.stringify({ nokosu: 'export', version: 3 })]))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
})

it('what is switched off, or too uncertain to be shown, comes in inactive', async () => {
  const line = (await lines(await filled())).find((each) => each.includes('"type":"memory"'))!
  const record = JSON.parse(line) as { memory: Memory }
  const target = await open()
  const as = (id: string, fields: Partial<Memory>) =>
    JSON.stringify({ ...record, memory: { ...record.memory, id, content: `Of ${id}`, version: 1, ...fields } })
  const given = { on: [true, 0.9], off: [false, 0.9], doubted: [true, 0.2], neither: [false, 0.2] } as const
  await target.import(each(Object.entries(given).map(([id, [active, confidence]]) => as(id, { active, confidence }))))
  const { memories } = await target.list({ ...all, includeInactive: true })
  expect(Object.fromEntries(memories.map(({ id, active }) => [id, active]))).toEqual({
    ...{ on: true, off: false, doubted: false, neither: false },
  })
})

it('takes decay along, so that no week is taken twice', async () => {
  let day = 0
  const now = () => new Date(Date.parse('2026-01-01T00:00:00.000Z') + day * 86_400_000)
  const at = () => openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), now })
  const source = await at()
  const { memory } = await source.add({
    exact: true,
    content: 'Takes 60s',
    category: 'timing',
    tier: 1,
    layer: 'project',
    identifiers: shop,
    confidence: 0.9,
  })
  day = 44
  await source.sweep()
  const target = await at()
  await target.import(each(await lines(source)))
  await target.sweep()
  expect(await target.get(memory.id, all)).toMatchObject({ confidence: 0.7, decayedWeeks: 2 })
})

it('reads an export of version 1: fields that it lacks are filled in, what was before a change is left out', async () => {
  const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z' }
  const memory = {
    id: '01M0000000000000000000000A',
    content: 'Takes 60s to start',
    layer: 'project',
    identifiers: shop,
    category: 'timing',
    service: 'jellyfin',
    source: 'extraction',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.8,
    active: true,
    tier: 1,
    session: 'run-1',
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 2,
    ...times,
    version: 2,
  }
  const change = { memory: memory.id, version: 2, operation: 'update', at: times.updatedAt, by: 'session:run-2' }
  const injection = {
    session: 'run-2',
    memory: memory.id,
    position: 0,
    tokens: 9,
    format: 'operational',
    at: times.updatedAt,
  }
  const event = { at: times.updatedAt, type: 'hint', session: null, identifiers: shop, data: {} }
  const exported = [
    { nokosu: 'export', version: 1, memories: 1, sessions: 0 },
    { type: 'memory', memory },
    { type: 'change', change: { ...change, before: { ...memory, confidence: 0.7, version: 1 }, after: memory } },
    { type: 'injection', injection },
    { type: 'event', event },
  ].map((line) => JSON.stringify(line))
  const now = () => new Date(times.updatedAt)
  const target = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), now })
  for (const added of [1, 0]) {
    const report = await target.import(each(exported))
    expect(report).toMatchObject({
      added: { memories: added, changes: added, injections: added, events: added },
      bad: [],
    })
  }
  const read = await target.get(memory.id, all)
  expect(read).toEqual({
    ...memory,
    trust: 'agent',
    links: [],
    thread: null,
    occurredAt: null,
    pinned: false,
    useCount: 0,
    lastUsedAt: null,
    decayedWeeks: 0,
  })
  expect((await target.history(memory.id, all)).changes).toEqual([{ ...change, after: read }])
})
