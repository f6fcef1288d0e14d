import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Likelihoods } from '../lifecycle/relate/relation.ts'
import type { Memory } from '../model/memory.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { fakeEmbedding } from '../testing/fake-embedder.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }
const SWITCH = 'pg-main fails over to pg-standby within 40 seconds'
const COPIES = 'pg-main replicates asynchronously to pg-standby'
const WAITS = 'pg-main needs 40 seconds until pg-standby takes over'
const FOLLOWS = 'pg-main does not wait for pg-standby when it replicates'

const CONTRADICTS: Likelihoods = { same: 0.01, contradicts: 0.98, other: 0.01 }
const SAME: Likelihoods = { same: 0.98, contradicts: 0.01, other: 0.01 }

/** Every memory is close to every other. */
const near = async (texts: readonly string[]) => texts.map(() => new Float32Array(16).fill(0.25))

/** The model's verdict on every pair, and the pairs it was asked about. */
async function shop(likely: Likelihoods, { insideRun = false, alike = [] as readonly string[] } = {}) {
  const asked: (readonly [string, string])[] = []
  const relations = {
    ask: async (pairs: readonly (readonly [string, string])[]) => {
      asked.push(...pairs)
      return pairs.map((pair) => (pair.every((text) => alike.includes(text.replace(/\.$/, ''))) ? SAME : likely))
    },
    warm: async () => {},
    close: async () => {},
  } as never
  const storage = referenceStorage()
  const embedding = { ...fakeEmbedding({ dimensions: 16 }), embed: near }
  let clock = Date.parse('2026-03-01T08:00:00.000Z')
  const now = () => {
    clock += 1000
    return new Date(clock)
  }
  const memory = await openMemory({ storage, embedding, relations, poisons: null, now, insideRun })
  const own = memory.as(SHOP)
  const say = async (content: string, session: string, agent = session) =>
    (
      await memory
        .as({ ...SHOP, agentId: agent })
        .remember({ content, category: 'behavior', source: 'extraction' }, { session, layer: 'project', tier: 1 })
    )[0]! as { kind: string; memory: Memory; reason: string }
  const shown = async () => (await own.context()).memories.map(({ content }) => content).sort()
  const texts = async () => (await own.context()).text
  return { memory, own, say, shown, texts, asked }
}

describe('undo', () => {
  it('brings back what a false contradiction took, on both sides, and the pair is not asked about again', async () => {
    const { own, say, texts, asked } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.5, links: [{ relation: 'contradictedBy' }] })
    const { memory, others, undone } = await own.undo(first.id)
    expect(memory).toMatchObject({ id: first.id, confidence: 0.7, active: true, links: [] })
    expect(others).toMatchObject([{ id: second.id, confidence: 0.7, links: [] }])
    expect(undone).toMatchObject([{ kind: 'contradicted', other: { id: second.id, content: COPIES } }])
    expect(await texts()).not.toContain('disputed')
    asked.length = 0
    expect(await say(COPIES, 's3')).toMatchObject({ kind: 'reinforce', memory: { id: second.id } })
    expect(await say(SWITCH, 's4')).toMatchObject({ kind: 'reinforce', memory: { id: first.id } })
    expect(asked).toEqual([])
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.8, links: [] })
    expect(await own.get(second.id)).toMatchObject({ confidence: 0.8, links: [] })
  })

  it('says the same of either of the two, and goes back one decision at a time', async () => {
    const { own, say } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    await say(SWITCH, 's3')
    // Repeated: its confidence rises, and it corrects in turn.
    expect(await own.get(second.id)).toMatchObject({ confidence: 0.5 })
    await own.undo(first.id)
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.5, trust: 'agent' })
    expect(await own.get(second.id)).toMatchObject({ confidence: 0.7 })
    await own.undo(second.id)
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7, links: [], active: true })
    expect(await own.get(second.id)).toMatchObject({ confidence: 0.7, links: [] })
    await expect(own.undo(first.id)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('makes an inactive memory active again', async () => {
    const { own, say, shown } = await shop(CONTRADICTS)
    const { id } = (await say(SWITCH, 's1')).memory
    for (const [i, words] of ['never', 'at no time', 'not at all'].entries()) await say(`${COPIES} ${words}`, `t${i}`)
    expect(await own.get(id)).toMatchObject({ confidence: 0.1, active: false })
    await own.undo(id)
    expect(await own.get(id)).toMatchObject({ confidence: 0.3, active: true })
    await own.undo(id)
    await own.undo(id)
    expect(await own.get(id)).toMatchObject({ confidence: 0.7, active: true, links: [] })
    expect(await shown()).toContain(SWITCH)
  })

  it('of a false repetition gives back confidence, trust and voices, and its words become a memory of their own', async () => {
    const { own, say } = await shop(SAME)
    const first = (await say(SWITCH, 's1')).memory
    expect(await say(COPIES, 's2')).toMatchObject({
      kind: 'reinforce',
      memory: { id: first.id, trust: 'corroborated' },
    })
    const { memory, undone } = await own.undo(first.id)
    expect(memory).toMatchObject({ confidence: 0.7, trust: 'agent', updatedAt: first.updatedAt })
    expect(memory.metadata).not.toHaveProperty('voices')
    expect(undone).toMatchObject([{ kind: 'reinforced', other: { id: null, content: COPIES } }])
    expect(await say(COPIES, 's3')).toMatchObject({ kind: 'insert' })
  })

  it('is an operator’s: an agent and a run cannot undo, settle or retract', async () => {
    const { memory, say } = await shop(CONTRADICTS)
    const [one, two] = [(await say(SWITCH, 's1')).memory.id, (await say(COPIES, 's2')).memory.id]
    const agent = memory.as({ ...SHOP, agentId: 'nori' })
    const denied = { code: 'UNAUTHORIZED' }
    await expect(agent.undo(one)).rejects.toMatchObject(denied)
    await expect(agent.settle([one, two], 'same')).rejects.toMatchObject(denied)
    await expect(agent.retract(one, { why: 'no' })).rejects.toMatchObject(denied)
    const inside = (await shop(CONTRADICTS, { insideRun: true })).own
    await expect(inside.undo(one)).rejects.toMatchObject(denied)
    await expect(inside.settle([one, two], 'same')).rejects.toMatchObject(denied)
    await expect(inside.retract(one, { why: 'no' })).rejects.toMatchObject(denied)
  })
})

describe('a decision', () => {
  it('is kept with its reason, the score and both texts, and says what it comes to', async () => {
    const { own, say } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await own.add(COPIES, { category: 'behavior' })).memory
    const { decisions, hiddenBy } = await own.decisions(first.id)
    expect(decisions).toMatchObject([
      {
        ...{ kind: 'contradicted', from: 0.7, to: 0.5, score: 1, undone: false, version: 2, content: SWITCH },
        reason: 'a contradiction by meaning, 100 % sure',
        other: { id: second.id, content: COPIES },
      },
    ])
    expect(hiddenBy).toEqual({ id: second.id, content: COPIES })
    expect((await own.decisions(second.id)).decisions).toMatchObject([{ kind: 'contradicts', content: COPIES }])
    await own.undo(first.id)
    expect((await own.decisions(first.id)).decisions).toMatchObject([
      { kind: 'contradicted', undone: true },
      { kind: 'undone', from: 0.5, to: 0.7, reason: 'contradicted was undone' },
    ])
  })

  it('keeps no words of the other memory: once that is purged, none remain', async () => {
    const { memory, own, say } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say('The zebra replicates asynchronously', 's2')).memory
    await own.delete(second.id)
    await memory.purge({ before: '2027-01-01T00:00:00Z' })
    const left = await Array.fromAsync(memory.export({ everything: true }))
    expect(left.join('\n')).not.toContain('zebra')
    expect((await own.decisions(first.id)).decisions).toMatchObject([
      { kind: 'contradicted', other: { content: null } },
    ])
  })

  it('is made here: what callers give is dropped', async () => {
    const { own } = await shop(CONTRADICTS)
    const metadata = { decisions: { version: 1, made: [] }, settled: [], retracted: {}, note: 'mine' }
    const { memory } = await own.add(SWITCH, { metadata })
    expect(memory.metadata).toEqual({ note: 'mine' })
  })
})

describe('what an operator settles', () => {
  it('both-true restores both, and holds on re-capture and in other words', async () => {
    const { own, say, asked, texts } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    const { memories } = await own.settle([first.id, second.id], 'both-true')
    expect(memories).toMatchObject([
      { id: first.id, confidence: 0.7, links: [] },
      { id: second.id, confidence: 0.7, links: [] },
    ])
    asked.length = 0
    await say(COPIES.toUpperCase(), 's3')
    expect(asked).toEqual([])
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7, links: [] })
    expect(await texts()).not.toContain('disputed')
  })

  it('replaces shows the one alone, whoever says what afterwards', async () => {
    const { own, say, shown } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    await own.settle([first.id, second.id], 'replaces')
    expect(await shown()).toEqual([SWITCH])
    for (const session of ['a', 'b', 'c', 'd']) await say(COPIES, session)
    expect(await shown()).toEqual([SWITCH])
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7 })
    await own.undo(second.id)
    await own.undo(second.id)
    await own.undo(second.id)
    await own.undo(second.id)
    expect((await own.undo(second.id)).undone).toMatchObject([{ kind: 'settled' }])
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.5 })
  })

  it('replaces holds for the same words in every category', async () => {
    const { memory, own, say, shown, texts } = await shop({ same: 0.1, contradicts: 0.1, other: 0.8 })
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    await own.settle([first.id, second.id], 'replaces')
    const [said] = await memory
      .as({ ...SHOP, agentId: 's3' })
      .remember({ content: COPIES, category: 'timing' }, { session: 's3', layer: 'project' })
    expect(said).toMatchObject({ kind: 'insert' })
    const { links } = (said as { memory: Memory }).memory
    expect(links).toContainEqual({ relation: 'contradictedBy', memory: first.id })
    expect(await shown()).toEqual([SWITCH])
    expect(await texts()).not.toContain('disputed')
    const { results } = await own.search({ query: COPIES, threshold: 0 })
    expect(results.map(({ memory: { content } }) => content)).toEqual([SWITCH])
  })

  it('replaces holds for other words in another category, which say the same as what was replaced', async () => {
    const { memory, own, say, shown, texts } = await shop(CONTRADICTS, { alike: [COPIES, FOLLOWS] })
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    await own.settle([first.id, second.id], 'replaces')
    for (const agent of ['a', 'b', 'c', 'd'])
      await memory
        .as({ ...SHOP, agentId: agent })
        .remember({ content: FOLLOWS, category: 'timing', source: 'extraction' }, { session: agent, layer: 'project' })
    expect(await own.get(first.id)).toMatchObject({ confidence: 0.7 })
    expect(await shown()).toEqual([SWITCH])
    expect(await texts()).not.toContain('disputed')
    await own.undo(second.id)
    expect(await shown()).not.toEqual([SWITCH])
  })

  it('gives back the voices that one took from the other, and keeps those that spoke since', async () => {
    const { own, say } = await shop({ same: 0.1, contradicts: 0.1, other: 0.8 })
    const first = (await say(SWITCH, 's1')).memory.id
    const second = (await say(COPIES, 's2')).memory.id
    const agents = async () =>
      ((await own.get(first))!.metadata.voices as { agent: string }[]).map(({ agent }) => agent)
    await own.settle([first, second], 'same')
    await say(SWITCH, 's3')
    expect(await agents()).toEqual(['s1', 's2', 's3'])
    await own.settle([first, second], 'both-true')
    expect(await agents()).toEqual(['s1', 's3'])
  })

  it('nothing that is hidden itself can stand for another memory, or in its place', async () => {
    const { own, say, shown } = await shop({ same: 0.1, contradicts: 0.1, other: 0.8 })
    const [a, b, c] = [
      (await say(SWITCH, 's1')).memory.id,
      (await say(COPIES, 's2')).memory.id,
      (await say(WAITS, 's3')).memory.id,
    ]
    await own.settle([a, b], 'replaces')
    await own.settle([c, a], 'replaces')
    for (const as of ['replaces', 'same'] as const)
      await expect(own.settle([b, c], as)).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { id: a } })
    expect(await shown()).toEqual([WAITS])
    for (const other of [b, c]) await own.settle([a, other], 'both-true')
    await own.settle([b, a], 'same')
    await expect(own.settle([a, c], 'same')).rejects.toMatchObject({ details: { id: b } })
    await own.settle([a, b], 'same')
    expect(await shown()).toEqual([SWITCH, WAITS])
  })

  it('same keeps the first, with the voices of both, and says of the other’s words that they are it', async () => {
    const { own, say, shown } = await shop({ same: 0.1, contradicts: 0.1, other: 0.8 })
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(WAITS, 's2')).memory
    const { memories } = await own.settle([first.id, second.id], 'same')
    expect(memories).toMatchObject([
      { confidence: 0.8, metadata: { voices: [{ agent: 's1' }, { agent: 's2' }] } },
      { active: false },
    ])
    expect(await shown()).toEqual([SWITCH])
    expect(await say(WAITS, 's3')).toMatchObject({ kind: 'reinforce', memory: { id: first.id } })
  })

  it('takes the place of what was settled before, whichever way, and gives back what that took', async () => {
    const ways = ['same', 'replaces', 'both-true'] as const
    const plain = async (as: (typeof ways)[number], earlier: readonly (typeof ways)[number][]) => {
      const { own, say, shown } = await shop(CONTRADICTS)
      const first = (await say(SWITCH, 's1')).memory
      const second = (await say(COPIES, 's2')).memory
      for (const way of earlier) await own.settle([first.id, second.id], way)
      const { memories } = await own.settle([first.id, second.id], as)
      const states = memories.map(({ confidence, active, links, metadata }) => ({
        ...{ confidence, active, voices: metadata.voices },
        links: links.map(({ relation }) => relation),
      }))
      return { states, shown: await shown() }
    }
    for (const as of ways) {
      const alone = await plain(as, [])
      for (const earlier of ways) expect(await plain(as, [earlier]), `${earlier}, ${as}`).toEqual(alone)
      expect(await plain(as, ['replaces', 'same'])).toEqual(alone)
    }
  })

  it('restores what an older store knows by its links alone', async () => {
    const { memory, say } = await shop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    const lines = await Array.fromAsync(memory.export({ everything: true }))
    const older = lines.map((line) => line.replaceAll(/"decisions":\{[^}]*\}[^}]*\}/g, '"note":1'))
    expect(older.join()).not.toContain('decisions')
    const there = await shop(CONTRADICTS)
    await there.memory.import(Readable.from(older), { keepTrust: true })
    await there.own.settle([first.id, second.id], 'both-true')
    expect(await there.own.get(first.id)).toMatchObject({ confidence: 0.7, links: [] })
    expect(await there.shown()).toHaveLength(2)
  })
})

describe('retract', () => {
  it('withdraws it everywhere, restores what it took, lists the runs and tells those that go on', async () => {
    const { memory, own, say, shown } = await shop(CONTRADICTS)
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

  it('restores what every one of several agents took, and takes it again when it is undone', async () => {
    const { own, say } = await shop(CONTRADICTS)
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
    const { memory, own, say } = await shop(CONTRADICTS)
    const lie = (await say(COPIES, 's1')).memory
    await memory.beginSession({ id: 'running', agent: 'nori', project: 'shop' })
    await own.retract(lie.id, { why: 'There is no replica' })
    const nori = memory.as({ ...SHOP, agentId: 'nori' })
    const entries = [{ memory: lie.id, position: 0, tokens: 9 }]
    await own.recordShowing({ session: 'running', format: 'operational', entries })
    const { retracted } = await nori.recall({ session: 'running', moment: { kind: 'prompt', text: 'what now?' } })
    expect(retracted).toEqual([{ id: lie.id, content: COPIES, why: 'There is no replica' }])
  })

  it('withdraws the same words in other categories, and refuses them however an agent writes them', async () => {
    const { memory, own, say, shown } = await shop({ same: 0.1, contradicts: 0.1, other: 0.8 })
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
