import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { fleetResultSchema } from './fleet.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

async function open() {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null, poisons: null })
  const shop = memory.as(SHOP)
  let minute = 0
  const run = async (
    agent: string,
    { says = '', reads = [] as string[], used = [] as string[], exitCode = 0 } = {},
  ) => {
    const id = `${agent}-${++minute}`
    const at = `2026-05-0${minute}T10:00:00.000Z`
    await memory.beginSession({ id, agent, project: 'shop', at })
    const entries = reads.map((each, position) => ({ memory: each, position, tokens: 5 }))
    if (entries.length > 0) await shop.recordShowing({ session: id, format: 'operational', entries, at })
    const said = says === '' ? null : await shop.capture(says, { session: id, format: 'text', ended: false })
    await memory.endSession(id, { exitCode, used })
    return said?.outcomes.flatMap((outcome) => ('memory' in outcome ? outcome.memory!.id : [])) ?? []
  }
  return { memory, shop, run }
}

it('tells who ran, who learned what, and who read and used it', async () => {
  const { memory, shop, run } = await open()
  const manual = (await shop.add({ layer: 'project', content: 'Deploys stop on Fridays' })).memory.id
  const [timing] = await run('nori', { says: '[MEMORY:timing:ci] Builds take 9 minutes' })
  await run('koji', { reads: [timing!, manual], used: [timing!] })
  await run('koji', { reads: [timing!], exitCode: 1 })
  await run('miso', { reads: [timing!] })
  const fleet = await shop.fleet()
  expect(fleet).toMatchObject({ counted: 4, total: 4 })
  expect(fleetResultSchema.parse(fleet)).toEqual(fleet)
  expect(fleet.agents.map(({ lastAt: _, ...each }) => each)).toEqual([
    { agent: 'miso', runs: 1, shown: 1, used: 0, recorded: 0, succeeded: 1, failed: 0 },
    { agent: 'koji', runs: 2, shown: 3, used: 1, recorded: 0, succeeded: 1, failed: 1 },
    { agent: 'nori', runs: 1, shown: 0, used: 0, recorded: 1, succeeded: 1, failed: 0 },
  ])
  expect(fleet.learned).toMatchObject([{ memory: timing, agent: 'nori', session: 'nori-1' }])
  expect(fleet.passed).toEqual([
    { from: 'nori', to: 'koji', memories: 1, used: 1 },
    { from: 'nori', to: 'miso', memories: 1, used: 0 },
    { from: null, to: 'koji', memories: 1, used: 0 },
  ])
  expect(fleet.spread[0]).toEqual({
    ...{ memory: timing, from: 'nori' },
    readers: [
      { agent: 'koji', shown: 2, used: 1 },
      { agent: 'miso', shown: 1, used: 0 },
    ],
  })
  expect(fleet.days.at(1)).toEqual({ day: '2026-05-02', runs: 1, shown: 2, used: 1, recorded: 0, withMemories: 1 })
  // Filtered by agent, by date and by few runs: the agent list stays complete.
  const koji = await shop.fleet({ agent: 'koji', since: '2026-05-03T00:00:00.000Z' })
  expect(koji).toMatchObject({ total: 1, agents: [{ agent: 'koji', runs: 1, shown: 1, used: 0 }] })
  expect(koji.passed).toMatchObject([{ from: 'nori', to: 'koji' }])
  const latest = await shop.fleet({ limit: 1 })
  expect(latest).toMatchObject({ counted: 1, total: 4, agents: [{ agent: 'miso' }, { shown: 0 }, { recorded: 0 }] })
  expect((await memory.as({ projectId: 'bank' }).fleet()).agents).toEqual([])
})

it('names no memory that the caller may not read', async () => {
  const { memory, shop } = await open()
  const nori = memory.as({ ...SHOP, agentId: 'nori' })
  const own = (await nori.add({ layer: 'agent', content: 'I confuse the two clusters' })).memory.id
  const shared = (await shop.add({ layer: 'project', content: 'Deploys stop on Fridays' })).memory.id
  await memory.beginSession({ id: 'n1', agent: 'nori', project: 'shop' })
  const entries = [own, shared].map((each, position) => ({ memory: each, position, tokens: 5 }))
  await nori.recordShowing({ session: 'n1', format: 'operational', entries })
  const named = async (agentId: string) =>
    (await memory.as({ ...SHOP, agentId }).fleet()).spread.map((each) => each.memory).sort()
  expect(await named('nori')).toEqual([own, shared].sort())
  expect(await named('koji')).toEqual([shared])
})

it('puts first what was learned last, and what was used and shown most', async () => {
  const { shop, run } = await open()
  const [one] = await run('nori', { says: '[MEMORY:timing:ci] Builds take 9 minutes' })
  const [two] = await run('nori', { says: '[MEMORY:behavior:db] Staging is emptied at noon' })
  await run('koji', { reads: [one!, two!], used: [two!] })
  const fleet = await shop.fleet()
  expect(fleet.spread.map((each) => each.memory)).toEqual([two, one])
  expect(fleet.learned.map((each) => each.memory)).toEqual([two, one])
  for (let again = 0; again < 2; again++) await run('koji', { reads: [one!] })
  expect((await shop.fleet()).spread.map((each) => each.memory)).toEqual([one, two])
})
