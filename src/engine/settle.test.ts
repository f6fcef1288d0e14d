import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CONTRADICTS, COPIES, FOLLOWS, judgedShop, SHOP, SWITCH, WAITS } from '../../test/fixtures/judged-shop.ts'
import type { Memory } from '../model/memory.ts'

describe('settle', () => {
  it('both-true restores both, also after another capture or other words', async () => {
    const { own, say, asked, texts } = await judgedShop(CONTRADICTS)
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

  it('replaces shows only the first, whatever is said afterwards', async () => {
    const { own, say, shown } = await judgedShop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    const { memories } = await own.settle([first.id, second.id], 'replaces')
    expect(memories[1]).toMatchObject({ links: [{ relation: 'contradictedBy', memory: first.id }] })
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

  it('replaces applies to the same words in every category', async () => {
    const { memory, own, say, shown, texts } = await judgedShop({ same: 0.1, contradicts: 0.1, other: 0.8 })
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

  it('replaces applies to a paraphrase in another category', async () => {
    const { memory, own, say, shown, texts } = await judgedShop(CONTRADICTS, { alike: [COPIES, FOLLOWS] })
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

  it('returns the voices that one memory took from the other, and keeps later ones', async () => {
    const { own, say } = await judgedShop({ same: 0.1, contradicts: 0.1, other: 0.8 })
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

  it('a hidden memory cannot replace another', async () => {
    const { own, say, shown } = await judgedShop({ same: 0.1, contradicts: 0.1, other: 0.8 })
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

  it('same keeps the first with the voices of both, and counts the other’s words as a repetition of it', async () => {
    const { own, say, shown } = await judgedShop({ same: 0.1, contradicts: 0.1, other: 0.8 })
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

  it('overrides an earlier settlement of any kind, and undoes its effects', async () => {
    const ways = ['same', 'replaces', 'both-true'] as const
    const plain = async (as: (typeof ways)[number], earlier: readonly (typeof ways)[number][]) => {
      const { own, say, shown } = await judgedShop(CONTRADICTS)
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

  it('restores memories of an older store, which only has links', async () => {
    const { memory, say } = await judgedShop(CONTRADICTS)
    const first = (await say(SWITCH, 's1')).memory
    const second = (await say(COPIES, 's2')).memory
    const lines = await Array.fromAsync(memory.export({ everything: true }))
    const older = lines.map((line) => line.replaceAll(/"decisions":\{[^}]*\}[^}]*\}/g, '"note":1'))
    expect(older.join()).not.toContain('decisions')
    const there = await judgedShop(CONTRADICTS)
    await there.memory.import(Readable.from(older), { keepTrust: true })
    await there.own.settle([first.id, second.id], 'both-true')
    for (const { id } of [first, second]) expect(await there.own.get(id)).toMatchObject({ confidence: 0.7, links: [] })
    expect(await there.shown()).toHaveLength(2)
  })
})
