import { afterAll, describe, expect, it } from 'vitest'
import { CONTEXT, know, NOW, observe, told, unrelated } from '../../test/fixtures/admission.ts'
import type { Candidate } from '../model/candidate.ts'
import { admit } from './admit.ts'
import { pairsToAsk } from './compare.ts'
import type { Neighbour } from './quotation.ts'
import { prepareRelater, type Relater, wordRelater } from './relate/relate.ts'
import { localRelationModel } from './relate/relation-model.ts'

const model = localRelationModel()
afterAll(() => model.close())

function decide(said: Candidate, known: Neighbour[]) {
  return prepareRelater(pairsToAsk(said, known, CONTEXT), { model }).then((relater) =>
    admit(said, known, relater, CONTEXT),
  )
}

describe('admit, without a model', () => {
  it('says that words alone were compared, and why', async () => {
    const broken = localRelationModel({ modelPath: '/nowhere' })
    const [known, said] = [know('Needs WireGuard to start'), observe('Starts without any tunnel')]
    const relater = await prepareRelater(pairsToAsk(said, [known], CONTEXT), { model: broken })
    const { reason } = admit(said, [known], relater, CONTEXT)
    expect(reason).toMatch(/^no memory says it in the same words; compared by words alone \(The .*again\.\)$/)
    const again = observe('Needs WireGuard to start.')
    const others = [known, know('Starts by itself')]
    expect(admit(again, others, relater, CONTEXT)).toMatchObject({
      kind: 'reinforce',
      reason: expect.stringMatching(/^the same words; compared by words alone/),
    })
    expect(admit(said, [], relater, CONTEXT).reason).toBe('no memory says the same or the opposite')
  })
})

describe('admit, by meaning', () => {
  it('[E20] a paraphrase reinforces to 0.8 and adds no memory', async () => {
    const known = know('Takes 60s to start after restart')
    const said = observe('Takes about 60 seconds to start after a restart')
    const admission = await decide(said, [known])
    expect(admission).toMatchObject({ kind: 'reinforce', memory: known.memory, confidence: 0.8, weakened: [] })
    const again = await decide(observe('takes 60s to start after restart.'), [known])
    expect(again).toMatchObject({ kind: 'reinforce', confidence: 0.8, reason: 'the same words' })
  })

  it('[E22] a contradiction takes the old one from 0.8 to 0.6 and enters at 0.7', async () => {
    const known = know('Must be started after WireGuard', { service: 'caddy', category: 'dependency', confidence: 0.8 })
    const said = observe('Can be started independently of WireGuard', { service: 'caddy', category: 'dependency' })
    const admission = await decide(said, [known])
    expect(admission).toMatchObject({
      kind: 'contradict',
      confidence: 0.7,
      weakened: [{ memory: known.memory, confidence: 0.6, active: true }],
    })
  })

  it('[E20] a paraphrase reinforces, and another subject is a new memory', async () => {
    const known = know('Grafana is only reachable through the VPN')
    const other = know('Grafana stores its dashboards in git')
    expect(await decide(observe('You need to be on the VPN to open Grafana'), [known, other])).toMatchObject({
      kind: 'reinforce',
      memory: known.memory,
      weakened: [],
    })
    expect((await decide(observe('Grafana is slow on Mondays'), [known, other])).kind).toBe('insert')
  })
})

describe('what is asked', () => {
  it('is the candidate and its quotation with every memory that can be about the same thing', () => {
    const known = [know('A'), know('B', { category: 'behavior' }), know('C', { service: 'plex' })]
    const texts = (said: Candidate) => pairsToAsk(said, known, CONTEXT).map(({ a, b }) => [a.text, b.text])
    const beside = [
      ['X', 'A'],
      ['X', 'B'],
    ]
    expect(texts(observe('X'))).toEqual(beside)
    expect(texts(observe('X', { declares: { relation: 'corrects', text: 'Q' } }))).toEqual([
      ...beside,
      ['Q', 'A'],
      ['Q', 'B'],
    ])
  })

  it('leaves out the workflow round and the kind of event', () => {
    const known = know('Rejected (cycle 1): no tests', { category: 'rejection' })
    const said = observe('Rejected (cycle 2): tests fail', { category: 'rejection' })
    expect(pairsToAsk(said, [known], CONTEXT)).toMatchObject([{ a: { text: 'tests fail' }, b: { text: 'no tests' } }])
  })
})

describe('admit', () => {
  const [slow, fast] = ['Takes 60s to start', 'Takes 5s to start']

  it('[E17] starts a new memory at 0.7, or lower if requested', () => {
    expect(admit(observe(slow), [], unrelated, CONTEXT)).toMatchObject({ kind: 'insert', confidence: 0.7 })
    expect(admit(observe(slow), [], unrelated, { ...CONTEXT, confidence: 0.5 })).toMatchObject({ confidence: 0.5 })
  })

  it('[E21] stores the same text in another category as a linked memory, and ignores it for another service', () => {
    const always: Relater = { relate: () => ({ relation: 'same', score: 1, reason: 'always' }) }
    const twin = know(slow, { category: 'behavior' })
    const others = [twin, know(slow, { service: 'plex' }), know(slow, { service: null })]
    expect(admit(observe(slow), others, always, CONTEXT)).toMatchObject({
      kind: 'insert',
      beside: [{ memory: twin.memory, relation: 'confirms', both: true }],
    })
  })

  it('corrects a memory of any category if certain, and only links to another layer', () => {
    const known = know(slow, { category: 'behavior', service: 'Jellyfin' })
    const sure = (score: number) => told([fast, slow, 'contradicts', score])
    expect(admit(observe(fast), [known], sure(0.9), CONTEXT)).toMatchObject({
      kind: 'contradict',
      weakened: [{ memory: known.memory, confidence: 0.5 }],
    })
    expect(admit(observe(fast), [known], sure(0.7), CONTEXT).kind).toBe('insert')
    const alike = told([fast, slow, 'same', 0.7])
    expect(admit(observe(fast), [known], alike, CONTEXT)).not.toHaveProperty('beside.0')
    expect(admit(observe(fast), [{ ...known, elsewhere: true }], sure(0.9), CONTEXT)).toMatchObject({
      kind: 'insert',
      beside: [{ memory: known.memory, relation: 'contradicts', both: false }],
    })
  })

  it('compares workflow events only with each other', () => {
    const known = know(slow, { category: 'rejection' })
    expect(admit(observe(fast), [known], told([fast, slow, 'contradicts', 1]), CONTEXT).kind).toBe('insert')
    const decided = know(slow, { category: 'decision' })
    expect(admit(observe(fast), [decided], told([fast, slow, 'contradicts', 1]), CONTEXT).kind).toBe('contradict')
  })

  it('[E23] a contradiction makes a memory of 0.4 inactive', () => {
    const known = know(slow, { confidence: 0.4 })
    const admission = admit(observe(fast), [known], told([fast, slow, 'contradicts']), CONTEXT)
    expect(admission).toMatchObject({ kind: 'contradict', weakened: [{ confidence: 0.2, active: false }] })
  })

  it('does not merge a new observation into an inactive or expired memory', () => {
    const hidden = [know(slow, { active: false }), know(slow, { expiresAt: NOW.toISOString() })]
    expect(admit(observe(slow), hidden, unrelated, CONTEXT).kind).toBe('insert')
  })

  it('reinforces one memory and weakens another in the same decision', () => {
    const [agreed, denied] = [know(slow), know(fast, { confidence: 0.9 })]
    const relater = told(['About a minute', slow, 'same'], ['About a minute', fast, 'contradicts'])
    expect(admit(observe('About a minute'), [denied, agreed], relater, CONTEXT)).toMatchObject({
      kind: 'reinforce',
      memory: agreed.memory,
      confidence: 0.8,
      weakened: [{ memory: denied.memory, confidence: 0.7 }],
    })
  })

  it('reinforces the most certain of several that say the same, in any order', () => {
    const [one, two, exact] = [know('A'), know('B'), know('c  C.')]
    const relater = told(['C c', 'A', 'same', 0.7], ['C c', 'B', 'same', 0.9])
    for (const order of [
      [one, two],
      [two, one],
    ]) {
      expect(admit(observe('C c'), order, relater, CONTEXT)).toMatchObject({ memory: two.memory })
    }
    expect(admit(observe('C c'), [one, two, exact], relater, CONTEXT)).toMatchObject({ memory: exact.memory })
  })

  it('never treats two redacted texts as the same words', () => {
    const text = 'The token is [REDACTED:github-token]'
    expect(admit(observe(text), [know(text)], wordRelater, CONTEXT).kind).toBe('insert')
  })

  it('refuses an empty or expired observation', () => {
    expect(admit(observe(' '), [], unrelated, CONTEXT)).toEqual({ kind: 'refuse', reason: 'it says nothing' })
    const past = observe(slow, { expiresAt: '2026-01-31T00:00:00.000Z' })
    expect(admit(past, [], unrelated, CONTEXT)).toEqual({ kind: 'refuse', reason: 'it has already expired' })
  })
})

describe('admit, for workflow memories', () => {
  const workflow = { category: 'rejection', service: null } as const

  it('[C14] keeps one memory for rejections that say the same in every cycle', () => {
    const known = know('Rejected (cycle 1): The retry has no limit', workflow)
    const again = observe('Rejected (cycle 2): the retry has no limit.', workflow)
    expect(admit(again, [known], unrelated, CONTEXT)).toMatchObject({ kind: 'reinforce', memory: known.memory })
    expect(admit(again, [known], unrelated, { ...CONTEXT, session: 'first-run' }).kind).toBe('duplicate')
  })

  it('never infers that one event disproves another', () => {
    const known = know('Rejected: tests fail', workflow)
    const relater = told(['Rejected: tests pass', 'Rejected: tests fail', 'contradicts'])
    expect(admit(observe('Rejected: tests pass', workflow), [known], relater, CONTEXT).kind).toBe('insert')
  })

  it('keeps submissions of different commits apart', () => {
    const kept = { category: 'submission', service: null } as const
    const known = know('Submitted ab12cd: retry limit', kept)
    expect(admit(observe('Submitted ef34ab: retry limit', kept), [known], wordRelater, CONTEXT).kind).toBe('insert')
  })
})

describe('what happened earlier', () => {
  const before = '2025-12-01T00:00:00.000Z'
  const known = () => know('Takes 90s', { createdAt: '2026-01-01T00:00:00.000Z' })
  const relater = told(['Takes 60s', 'Takes 90s', 'contradicts'])

  it('is stored, and corrects nothing newer, declared or not', () => {
    const declares = { relation: 'corrects', text: 'Takes 90s' } as const
    for (const more of [{}, { declares }]) {
      const said = observe('Takes 60s', { occurredAt: before, ...more })
      expect(admit(said, [known()], relater, CONTEXT)).toMatchObject({
        kind: 'insert',
        reason: expect.stringContaining('it happened before what it contradicts'),
      })
    }
  })

  it('corrects what is older still, and a current statement corrects as usual', () => {
    const older = know('Takes 90s', { occurredAt: '2025-11-01T00:00:00.000Z' })
    expect(admit(observe('Takes 60s', { occurredAt: before }), [older], relater, CONTEXT).kind).toBe('contradict')
    expect(admit(observe('Takes 60s'), [known()], relater, CONTEXT).kind).toBe('contradict')
  })
})

it('a correction of one part leaves the note with the other part active, unless it quotes the note', () => {
  const both = know('Backups run at 3 am; they are kept for 14 days', { confidence: 0.35 })
  const later = 'Backups run at 4 am'
  const relater = told([later, both.memory.content, 'contradicts', 0.99])
  const least = (said: Candidate) => {
    const admission = admit(said, [both], relater, CONTEXT)
    return admission.kind === 'contradict' ? admission.weakened : admission
  }
  expect(least(observe(later))).toMatchObject([{ confidence: 0.3, active: true }])
  const declares = { relation: 'corrects', text: both.memory.content } as const
  expect(least(observe(later, { declares }))).toMatchObject([{ confidence: 0.15, active: false }])
})

it.each(['Startet in 60 Sekunden.', '再起動に60秒かかる。', 'शुरू होने में 60 सेकंड लगते हैं।'])(
  'the full stop of any script changes nothing: %s',
  (text) => {
    const known = know(text.slice(0, -1))
    expect(admit(observe(text), [known], unrelated, CONTEXT)).toMatchObject({ kind: 'reinforce' })
  },
)
