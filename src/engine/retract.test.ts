import { describe, expect, it } from 'vitest'
import { CONTRADICTS, COPIES, judgedShop, SHOP, SWITCH } from '../../test/fixtures/judged-shop.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { fakeEmbedding } from '../testing/fake-embedder.ts'
import { openMemory } from './open-memory.ts'

const WRONG = 'The api listens on port 9000'
const REFUSED = [{ kind: 'refuse', reason: 'an operator has retracted it: it is wrong' }]

async function open() {
  const options = { storage: referenceStorage(), embedding: fakeEmbedding({}), relations: null, poisons: null }
  const memory = await openMemory(options)
  await memory.directory.set({ projectId: 'shop', teamId: 'web' })
  return { memory, shop: memory.as({ projectId: 'shop' }) }
}

it('words that an operator retracted are refused in every layer of the project, until that is undone', async () => {
  const { memory, shop } = await open()
  const { memory: wrong } = await shop.add(WRONG)
  await shop.retract(wrong.id, { why: 'It was read from the wrong host' })
  const nori = memory.as({ agentId: 'nori', projectId: 'shop', taskId: 'T1' })
  const say = (layer: 'agent' | 'task' | 'project', session: string) =>
    nori.remember({ content: `${WRONG}.`, category: 'timing' }, { layer, session })
  expect(await say('agent', 's1')).toMatchObject(REFUSED)
  expect(await say('task', 's2')).toMatchObject(REFUSED)
  expect(await say('project', 's3')).toMatchObject(REFUSED)
  const elsewhere = memory.as({ agentId: 'nori', projectId: 'other' })
  expect(await elsewhere.remember(WRONG, { session: 's4' })).toMatchObject([{ kind: 'insert' }])
  await shop.undo(wrong.id)
  expect(await say('agent', 's5')).toMatchObject([{ kind: 'insert' }])
})

it('the same for words retracted in one agent’s layer, or in the team’s layer above', async () => {
  const { memory, shop } = await open()
  const nori = memory.as({ agentId: 'nori', projectId: 'shop' })
  const koji = memory.as({ agentId: 'koji', projectId: 'shop' })
  const { memory: private_ } = await memory.add(WRONG, {
    layer: 'agent',
    identifiers: { agentId: 'nori', projectId: 'shop' },
  })
  await memory.operator('ann').retract(private_.id, { why: 'It was never so' })
  expect(await koji.remember(WRONG, { session: 's1' })).toMatchObject(REFUSED)
  const web = memory.as({ teamId: 'web' })
  const { memory: ours } = await web.add('Deploys need no review')
  await web.retract(ours.id, { why: 'They always did' })
  expect(await nori.remember('Deploys need no review', { session: 's2' })).toMatchObject(REFUSED)
  // An operator may say it again.
  expect(await shop.add('Deploys need no review')).toMatchObject({ outcome: 'insert' })
})

describe('retract', () => {
  it('withdraws a memory everywhere, restores what it weakened, lists the runs and tells running ones', async () => {
    const { memory, own, say, shown } = await judgedShop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const lie = (await say(COPIES, 's2')).memory
    const nori = memory.as({ ...SHOP, agentId: 'nori' })
    await memory.beginSession({ id: 'running', agent: 'nori', project: 'shop' })
    await memory.beginSession({ id: 'ended', project: 'shop' })
    for (const session of ['ended', 'running'])
      await own.recordShowing({ session, format: 'operational', entries: [{ memory: lie.id, position: 0, tokens: 9 }] })
    await memory.endSession('ended', {})
    const lesson = await nori.remember(
      { content: 'Ask the standby', category: 'follow_up', source: 'observed' },
      { session: 'running', layer: 'project' },
    )
    const done = await own.retract(lie.id, { why: 'The replica was never there' })
    expect(done.memory).toMatchObject({
      active: false,
      metadata: { retracted: { why: 'The replica was never there' } },
    })
    expect(done.runs).toMatchObject([
      { session: 'running', agent: 'nori', running: true },
      { session: 'ended', running: false },
    ])
    expect(done.others).toMatchObject([{ id: first.id, confidence: 0.7 }])
    expect(done.review.map(({ content, tags }) => [content, tags])).toEqual([['Ask the standby', ['review']]])
    const review = { kind: 'review', other: { id: lie.id }, reason: 'it depends on a retracted memory' }
    expect((await own.decisions(done.review[0]!.id)).decisions.at(-1)).toMatchObject(review)
    expect(lesson).toHaveLength(1)
    expect(await shown()).not.toContain(COPIES)
    expect(await nori.get(lie.id)).toBeNull()
    expect((await nori.list({ includeInactive: true })).memories.map(({ id }) => id)).not.toContain(lie.id)
    await expect(nori.history(lie.id)).resolves.toMatchObject({ changes: [] })
    expect(await own.get(lie.id)).toMatchObject({ id: lie.id })

    const moment = { kind: 'prompt', text: 'what now?' } as const
    const { text, retracted } = await nori.recall({ session: 'running', moment })
    expect(retracted).toEqual([{ id: lie.id, content: COPIES, why: 'The replica was never there' }])
    expect(text).toContain(`“${COPIES}”: The replica was never there`)
    expect(await nori.recall({ session: 'running', moment })).not.toHaveProperty('retracted')
    // Another process reads from the store what the session was told.
    expect(await say(COPIES, 's9')).toMatchObject({
      kind: 'refuse',
      reason: 'an operator has retracted it: it is wrong',
    })
    await expect(own.update(lie.id, { confidence: 0.9 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })

    const back = await own.undo(lie.id)
    expect(back.memory).toMatchObject({ active: true, links: [{ relation: 'contradicts', memory: first.id }] })
    expect(back.others).toMatchObject([
      { id: first.id, confidence: 0.5, links: [{ relation: 'contradictedBy', memory: lie.id }] },
    ])
    await own.retract(lie.id, { why: 'There is none' })
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7, links: [] })
    await own.undo(lie.id)
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.5 })
    await own.undo(first.id)
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7, links: [] })
    expect(await nori.get(lie.id)).toMatchObject({ id: lie.id })
    expect(await say(COPIES, 's10')).not.toMatchObject({ kind: 'refuse' })
  })

  it('restores what several agents weakened, and weakens it again when undone', async () => {
    const { own, say } = await judgedShop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const lie = (await say(COPIES, 's2')).memory
    for (const agent of ['s3', 's4']) await say(COPIES, agent)
    const weak = { confidence: 0.1, active: false, links: [{ relation: 'contradictedBy' }] }
    expect(await own.get(first.id)).toMatchObject(weak)
    for (let time = 0; time < 2; time++) {
      await own.retract(lie.id, { why: 'There is no replica' })
      expect(await own.get(first.id)).toMatchObject({ confidence: 0.7, active: true, links: [] })
      await own.undo(lie.id)
      expect(await own.get(first.id)).toMatchObject(weak)
    }
    await own.undo(lie.id)
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.3, active: true })
  })

  it('tells a session whose showing is recorded after the retraction', async () => {
    const { memory, own, say } = await judgedShop(CONTRADICTS)
    const lie = (await say(COPIES, 's1')).memory
    await memory.beginSession({ id: 'running', agent: 'nori', project: 'shop' })
    await own.retract(lie.id, { why: 'There is no replica' })
    const nori = memory.as({ ...SHOP, agentId: 'nori' })
    const entries = [{ memory: lie.id, position: 0, tokens: 9 }]
    await own.recordShowing({ session: 'running', format: 'operational', entries })
    const { retracted } = await nori.recall({ session: 'running', moment: { kind: 'prompt', text: 'what now?' } })
    expect(retracted).toEqual([{ id: lie.id, content: COPIES, why: 'There is no replica' }])
    // Undone before the session was told.
    await memory.beginSession({ id: 'second', agent: 'nori', project: 'shop' })
    await own.recordShowing({ session: 'second', format: 'operational', entries })
    await own.undo(lie.id)
    const moment = { kind: 'prompt', text: 'what now?' } as const
    expect(await nori.recall({ session: 'second', moment })).not.toHaveProperty('retracted')
  })

  it('withdraws the same words in other categories, and refuses them in any notation', async () => {
    const { memory, own, say, shown } = await judgedShop({ same: 0.1, contradicts: 0.1, other: 0.8 })
    const lie = (await say(COPIES, 's1')).memory
    const elsewhere = memory.as({ ...SHOP, agentId: 's2' })
    const twin = (content: string, session: string) =>
      elsewhere.remember({ content, category: 'learning', source: 'extraction' }, { session, layer: 'project' })
    await twin(`${COPIES}.`, 's2')
    const { others } = await own.retract(lie.id, { why: 'There is no replica' })
    expect(others).toMatchObject([{ active: false, metadata: { retracted: { why: 'There is no replica' } } }])
    expect(await shown()).toEqual([])
    for (const content of [`${COPIES}!`, COPIES.toUpperCase(), `**pg-main**  ${COPIES.slice(8)}`, `\`${COPIES}\``])
      expect((await twin(content, content.slice(0, 9)))[0]).toMatchObject({ kind: 'refuse' })
    expect(await shown()).toEqual([])
    expect(await say('pg-main does not replicate', 's3')).toMatchObject({ kind: 'insert' })
    await own.undo(lie.id)
    expect((await own.list()).memories.filter(({ content }) => content.startsWith(COPIES))).toHaveLength(2)
  })
})
