import { describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { RelationModel } from '../lifecycle/relate/relation-model.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

const AGENT = { projectId: 'shop', agentId: 'nori' }
const SHOP = { projectId: 'shop' }

/** Different numbers contradict; all other pairs are the same. */
const byNumbers: RelationModel = {
  name: 'numbers',
  async ask(pairs) {
    const numbers = (text: string) => text.match(/\d+/g)?.join(' ')
    return pairs.map(([a, b]) =>
      numbers(a) === numbers(b)
        ? { same: 0.98, contradicts: 0.01, other: 0.01 }
        : { same: 0.01, contradicts: 0.98, other: 0.01 },
    )
  },
  warm: async () => {},
  close: async () => {},
}

const open = (aliases = {}, storage = referenceStorage()) =>
  openMemory({
    storage,
    embedding: hashingEmbedding(),
    relations: byNumbers,
    memory: { aliases },
  })

const connections = (count: number) => `pg-main has max_connections ${count}`

describe('labels that differ', () => {
  it('another category, service or spelling does not keep a correction from its memory', async () => {
    for (const [category, service] of [
      ['behavior', 'PG_Main'],
      ['maintenance', 'pg-main'],
      ['maintenance', 'postgres'],
      ['timing', null],
    ] as const) {
      const memory = (await open()).as(SHOP)
      await memory.remember({ content: connections(400), category: 'behavior', service: 'pg-main' }, { session: 'a' })
      const [outcome] = await memory.remember({ content: connections(800), category, service }, { session: 'b' })
      expect([category, service, outcome?.kind]).toEqual([category, service, 'contradict'])
    }
  })

  it('[E21] the same in another category is linked both ways and shown once', async () => {
    const memory = (await open()).as(SHOP)
    const said = { content: 'pg-main is restarted at night', service: 'pg-main' }
    const [first] = await memory.remember({ ...said, category: 'maintenance' }, { session: 'a' })
    const [second] = await memory.remember({ ...said, category: 'behavior' }, { session: 'b' })
    expect([first?.kind, second?.kind]).toEqual(['insert', 'insert'])
    const ids = [first, second].map((one) => (one as { memory: { id: string } }).memory.id)
    const links = await Promise.all(ids.map(async (id) => (await memory.get(id))?.links))
    expect(links).toEqual([[{ relation: 'confirmedBy', memory: ids[1] }], [{ relation: 'confirms', memory: ids[0] }]])
    const { text, included, omitted } = await memory.context()
    expect(text).toContain('(1 memory, ')
    expect(included.map(({ id }) => id)).toEqual([ids[0]])
    expect(omitted).toEqual([{ id: ids[1], reason: `says the same as ${ids[0]}` }])
    const { results } = await memory.search({ query: 'pg-main restarted', threshold: 0 })
    expect(results.map(({ memory: { id } }) => id)).toEqual([ids[0]])
  })

  it('the spelling of a service that was seen first stays, and identical text is stored once', async () => {
    const shared = referenceData()
    const process = async () => (await open({ Postgres: 'pg-main' }, referenceStorage({ shared }))).as(SHOP)
    const first = await process()
    await first.remember({ content: 'Is on host 7', category: 'behavior', service: 'PG-Main' })
    const memory = await process()
    const add = (service: string, content: string) => memory.remember({ content, category: 'behavior', service })
    await add('pg-main', connections(400))
    for (const service of ['pg_main', 'pg main', 'postgres']) await add(service, connections(400))
    await add('pg-main', 'Has a standby of 1 machine')
    const { memories } = await memory.list({ service: 'pg_MAIN', includeInactive: true })
    expect(memories.map(({ service }) => service)).toEqual(['PG-Main', 'PG-Main', 'PG-Main'])
    expect((await memory.context()).text.match(/^### .*/gm)).toEqual(['### PG-Main'])
  })

  it('spellings that another program wrote are one heading and one figure', async () => {
    const memory = (await open()).as(SHOP)
    for (const [service, content] of [
      ['Jellyfin', 'A'],
      ['jellyfin', 'B'],
    ] as const)
      await memory.add({ content, layer: 'project', service, exact: true })
    expect((await memory.context()).text.match(/^### .*/gm)).toEqual(['### Jellyfin'])
    const { services } = await memory.tally({ since: '2026-01-01T00:00:00.000Z' })
    expect(services).toEqual([{ service: 'Jellyfin', memories: 2 }])
  })

  it('what an agent notes for itself against the project is shown to it as a dispute, and to nobody else', async () => {
    const memory = await open()
    await memory.remember({ content: connections(400), category: 'behavior' }, { identifiers: SHOP, session: 'a' })
    const own = { identifiers: AGENT, layer: 'agent', session: 'b' } as const
    const [outcome] = await memory.remember({ content: connections(800), category: 'behavior' }, own)
    expect(outcome).toMatchObject({ kind: 'insert', reason: 'it contradicts a memory of the layer project' })
    const { text } = await memory.context({ identifiers: AGENT })
    expect(text).toMatch(/connections 800 .*disputed/)
    expect(text).toMatch(/connections 400 .*disputed/)
    const [known] = (await memory.list({ identifiers: SHOP })).memories
    expect(known).toMatchObject({ confidence: 0.7, links: [], version: 1 })
  })
})

it('an operator who says what one agent says and another denies is shown alone, in context and in search', async () => {
  const memory = await open()
  const own = memory.as(SHOP)
  const say = (content: string, agentId: string) =>
    memory.as({ ...SHOP, agentId }).remember({ content, category: 'behavior' }, { session: agentId, layer: 'project' })
  await say(connections(400), 'nori')
  await say(connections(200), 'koji')
  const { memory: word } = await own.add('The max_connections of pg-main are 200')
  expect(word.links.map(({ relation }) => relation)).toContain('confirms')
  const { text, memories } = await own.context()
  expect(memories.map(({ id }) => id)).toEqual([word.id])
  expect(text).not.toContain('agent says')
  const { results } = await own.search({ query: 'pg-main max_connections' })
  expect(results.map(({ memory: { id } }) => id)).toEqual([word.id])
  expect(JSON.stringify(results)).not.toContain('agent says')
})

describe('what several tasks were rejected for', () => {
  const reject = (memory: Awaited<ReturnType<typeof open>>, taskId: string, notes: string, projectId = 'shop') =>
    memory.record({ type: 'rejection', projectId, taskId, cycle: 1, notes })

  it('is linked where another task was rejected for the same, in other words too, and stays a memory of its own task', async () => {
    const memory = await open()
    const first = await reject(memory, 'T1', 'Limit retries of the client to 3')
    const second = await reject(memory, 'T2', 'The client may retry 3 times at most')
    const other = await reject(memory, 'T3', 'Limit retries of the client to 5')
    const foreign = await reject(memory, 'T4', 'Limit retries of the client to 3', 'bar')
    const [one, again, ...apart] = [first, second, other, foreign].map(({ outcomes: [outcome] }) => {
      if (outcome?.kind !== 'insert') throw new Error(`not inserted: ${outcome?.kind}`)
      return outcome.memory
    })
    expect(again!.links).toEqual([{ relation: 'confirms', memory: one!.id }])
    for (const { links } of [one!, ...apart]) expect(links).toEqual([])
    const { text } = await memory.as({ ...SHOP, taskId: 'T9' }).context({ format: 'workflow' })
    expect(text).toMatch(/2 times in 2 tasks, last on .*The client may retry 3 times at most$/m)
    await memory.shutdown()
  })
})
