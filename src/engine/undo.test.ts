import { describe, expect, it } from 'vitest'
import { CONTRADICTS, COPIES, judgedShop, SAME, SHOP, SWITCH } from '../../test/fixtures/judged-shop.ts'

describe('undo', () => {
  it('restores both memories after a false contradiction, and does not ask the model about the pair again', async () => {
    const { own, say, texts, asked } = await judgedShop(CONTRADICTS)
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

  it('gives the same result for either memory, one decision at a time', async () => {
    const { own, say } = await judgedShop(CONTRADICTS)
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
    const { own, say, shown } = await judgedShop(CONTRADICTS)
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

  it('of a false repetition restores confidence, trust and voices, and lets its words become a separate memory', async () => {
    const { own, say } = await judgedShop(SAME)
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

  it('is for operators: an agent or a run cannot undo, settle or retract', async () => {
    const { memory, say } = await judgedShop(CONTRADICTS)
    const [one, two] = [(await say(SWITCH, 's1')).memory.id, (await say(COPIES, 's2')).memory.id]
    const agent = memory.as({ ...SHOP, agentId: 'nori' })
    const denied = { code: 'UNAUTHORIZED' }
    await expect(agent.undo(one)).rejects.toMatchObject(denied)
    await expect(agent.settle([one, two], 'same')).rejects.toMatchObject(denied)
    await expect(agent.retract(one, { why: 'no' })).rejects.toMatchObject(denied)
    const inside = (await judgedShop(CONTRADICTS, { insideRun: true })).own
    await expect(inside.undo(one)).rejects.toMatchObject(denied)
    await expect(inside.settle([one, two], 'same')).rejects.toMatchObject(denied)
    await expect(inside.retract(one, { why: 'no' })).rejects.toMatchObject(denied)
  })
})

describe('a decision', () => {
  it('is stored with its reason, the score and both texts, and shows the resulting state', async () => {
    const { own, say } = await judgedShop(CONTRADICTS)
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

  it('keeps no words of the other memory, so a purge leaves none', async () => {
    const { memory, own, say } = await judgedShop(CONTRADICTS)
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

  it('cannot be given by a caller', async () => {
    const { own } = await judgedShop(CONTRADICTS)
    const metadata = { decisions: { version: 1, made: [] }, settled: [], retracted: {}, note: 'mine' }
    const { memory } = await own.add(SWITCH, { metadata })
    expect(memory.metadata).toEqual({ note: 'mine' })
  })
})
