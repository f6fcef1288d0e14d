import { afterAll, describe, expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Memory } from '../model/memory.ts'
import type { AdmitContext } from './admission.ts'
import { admit } from './admit.ts'
import { pairsToAsk } from './compare.ts'
import type { Neighbour } from './quotation.ts'
import { prepareRelater, type Relater, type Relation, wordRelater } from './relate/relate.ts'
import { localRelationModel } from './relate/relation-model.ts'

const NOW = new Date('2026-02-01T00:00:00.000Z')
const CONTEXT: AdmitContext = { now: NOW, session: 'second-run', vector: null }

function observe(content: string, fields: Partial<Candidate> = {}): Candidate {
  const rest = { source: 'extraction', tags: [], metadata: {}, anchor: null, importance: 50 } as const
  return { content, category: 'timing', service: 'jellyfin', ...rest, tags: [], ...fields }
}

let made = 0
function know(
  content: string,
  fields: Partial<Memory> & { counted?: boolean; shown?: boolean; vector?: Float32Array } = {},
): Neighbour {
  const { counted = false, shown = false, vector = null, ...rest } = fields
  return { memory: makeMemory({ id: `m${made++}`, content, service: 'jellyfin', ...rest }), vector, counted, shown }
}

/** Returns the verdicts given for pairs of texts; all other pairs are `other`. */
function told(...verdicts: [string, string, Relation, number?][]): Relater {
  return {
    relate(a, b) {
      const known = verdicts.find(([one, two]) => one === a.text && two === b.text)
      return { relation: known?.[2] ?? 'other', score: known?.[3] ?? 0.8, reason: 'as told' }
    },
  }
}
const nothing = told()

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

  it('[E20] other words for the same reinforce, and another matter is a new memory', async () => {
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
  it('is the candidate and its quotation beside all that can be about the same thing', () => {
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

  it('leaves the rounds of a workflow and the kind of event out', () => {
    const known = know('Rejected (cycle 1): no tests', { category: 'rejection' })
    const said = observe('Rejected (cycle 2): tests fail', { category: 'rejection' })
    expect(pairsToAsk(said, [known], CONTEXT)).toMatchObject([{ a: { text: 'tests fail' }, b: { text: 'no tests' } }])
  })
})

describe('admit', () => {
  const [slow, fast] = ['Takes 60s to start', 'Takes 5s to start']

  it('[E17] starts a new memory at 0.7, and lower when told so', () => {
    expect(admit(observe(slow), [], nothing, CONTEXT)).toMatchObject({ kind: 'insert', confidence: 0.7 })
    expect(admit(observe(slow), [], nothing, { ...CONTEXT, confidence: 0.5 })).toMatchObject({ confidence: 0.5 })
  })

  it('[E21] the same in another category is a memory of its own that the two are linked by; of another service it is nothing to it', () => {
    const always: Relater = { relate: () => ({ relation: 'same', score: 1, reason: 'always' }) }
    const twin = know(slow, { category: 'behavior' })
    const others = [twin, know(slow, { service: 'plex' }), know(slow, { service: null })]
    expect(admit(observe(slow), others, always, CONTEXT)).toMatchObject({
      kind: 'insert',
      beside: [{ memory: twin.memory, relation: 'confirms', both: true }],
    })
  })

  it('corrects whatever the category is, where it is sure, and links to what another layer holds', () => {
    const known = know(slow, { category: 'behavior', service: 'Jellyfin' })
    const sure = (score: number) => told([fast, slow, 'contradicts', score])
    expect(admit(observe(fast), [known], sure(0.9), CONTEXT)).toMatchObject({
      kind: 'contradict',
      weakened: [{ memory: known.memory, confidence: 0.5 }],
    })
    expect(admit(observe(fast), [known], sure(0.7), CONTEXT).kind).toBe('insert')
    expect(admit(observe(fast), [{ ...known, elsewhere: true }], sure(0.9), CONTEXT)).toMatchObject({
      kind: 'insert',
      beside: [{ memory: known.memory, relation: 'contradicts', both: false }],
    })
  })

  it('what a workflow did is compared with its like alone', () => {
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

  it('does not let an inactive or expired memory swallow a new observation', () => {
    const hidden = [know(slow, { active: false }), know(slow, { expiresAt: NOW.toISOString() })]
    expect(admit(observe(slow), hidden, nothing, CONTEXT).kind).toBe('insert')
  })

  it('reinforces the one and weakens the other when it agrees with one and contradicts another', () => {
    const [agreed, denied] = [know(slow), know(fast, { confidence: 0.9 })]
    const relater = told(['About a minute', slow, 'same'], ['About a minute', fast, 'contradicts'])
    expect(admit(observe('About a minute'), [denied, agreed], relater, CONTEXT)).toMatchObject({
      kind: 'reinforce',
      memory: agreed.memory,
      confidence: 0.8,
      weakened: [{ memory: denied.memory, confidence: 0.7 }],
    })
  })

  it('reinforces the surest of several that say the same, whatever their order', () => {
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

  it('never takes two redacted texts for the same words', () => {
    const text = 'The token is [REDACTED:github-token]'
    expect(admit(observe(text), [know(text)], wordRelater, CONTEXT).kind).toBe('insert')
  })

  it('refuses what says nothing or has expired', () => {
    expect(admit(observe(' '), [], nothing, CONTEXT)).toEqual({ kind: 'refuse', reason: 'it says nothing' })
    const past = observe(slow, { expiresAt: '2026-01-31T00:00:00.000Z' })
    expect(admit(past, [], nothing, CONTEXT)).toEqual({ kind: 'refuse', reason: 'it has already expired' })
  })
})

describe('admit, within one session', () => {
  it('does not let a session reinforce what it said itself', () => {
    const known = know('Slow', { session: 'second-run' })
    const reason = 'the same words, said by the same session'
    expect(admit(observe('slow.'), [known], nothing, CONTEXT)).toEqual({ kind: 'duplicate', of: known.memory, reason })
    const relater = told(['Not fast', 'Slow', 'same'])
    expect(admit(observe('Not fast'), [known], relater, CONTEXT)).toMatchObject({ kind: 'duplicate' })
  })

  it('counts a session once for a memory', () => {
    const known = know('Slow', { counted: true })
    const reason = 'the same words, already counted for this session'
    expect(admit(observe('Slow'), [known], nothing, CONTEXT)).toEqual({ kind: 'duplicate', of: known.memory, reason })
    expect(admit(observe('Slow'), [know('Slow')], nothing, { ...CONTEXT, session: 'third-run' }).kind).toBe('reinforce')
  })

  it('does not let a session reinforce what it was shown by repeating the words', () => {
    const shown = know('Slow', { shown: true })
    expect(admit(observe('slow.'), [shown], nothing, CONTEXT)).toMatchObject({ kind: 'duplicate', of: shown.memory })
    const relater = told(['Not fast', 'Slow', 'same'])
    expect(admit(observe('Not fast'), [shown], relater, CONTEXT).kind).toBe('reinforce')
  })

  it('changes nothing when the same session is captured again', () => {
    const said = observe('Fast')
    const relater = told(['Fast', 'Slow', 'contradicts'])
    const before = know('Slow')
    expect(admit(said, [before], relater, CONTEXT).kind).toBe('contradict')
    const stored = know('Fast', { session: 'second-run' })
    expect(admit(said, [before, stored], relater, CONTEXT).kind).toBe('duplicate')
  })

  it('does not bring back what the session said before and what went inactive since', () => {
    const own = know('Takes 60s', { active: false, confidence: 0.1, session: 'second-run' })
    const counted = know('Takes 60s', { active: false, confidence: 0.1, counted: true })
    const rival = know('Takes 10s')
    const relater = told(['Takes 60s', 'Takes 10s', 'contradicts'])
    for (const gone of [own, counted]) {
      expect(admit(observe('Takes 60s'), [gone, rival], relater, CONTEXT)).toMatchObject({
        kind: 'duplicate',
        of: gone.memory,
      })
    }
    const other = { ...CONTEXT, session: 'third-run' }
    expect(admit(observe('Takes 60s'), [own, rival], relater, other).kind).toBe('contradict')
  })

  it('takes observations without a session for independent ones', () => {
    const known = know('Slow', { session: null })
    expect(admit(observe('Slow'), [known], nothing, { ...CONTEXT, session: null }).kind).toBe('reinforce')
  })
})

describe('admit, with what the agent declares', () => {
  const quote = 'needs one minute for its start'
  const corrected = (text: string) => observe('Ready at once', { declares: { relation: 'corrects', text } })
  const confirmed = (text: string) => observe('Seen again', { declares: { relation: 'confirms', text } })

  it('weakens what is corrected and enters beside it, even where the guess sees no relation', () => {
    const known = know('Needs one minute for its start.', { confidence: 0.9 })
    expect(admit(corrected(quote), [know('Unrelated'), known], nothing, CONTEXT)).toMatchObject({
      kind: 'contradict',
      confidence: 0.7,
      weakened: [{ memory: known.memory, confidence: 0.7, reason: 'declared as a correction' }],
    })
  })

  it('reinforces what is confirmed, once a session', () => {
    const known = know(quote)
    expect(admit(confirmed(quote), [known], nothing, CONTEXT)).toMatchObject({ kind: 'reinforce', confidence: 0.8 })
    const counted = { ...known, counted: true }
    expect(admit(confirmed(quote), [counted], nothing, CONTEXT).kind).toBe('duplicate')
  })

  it('confirms nothing by a quotation from which something was taken out', () => {
    const text = 'The gateway uses api_key=[REDACTED:api-key] for metrics'
    expect(admit(confirmed(text), [know(text)], nothing, CONTEXT).kind).toBe('insert')
    expect(admit(corrected(text), [know(text)], nothing, CONTEXT).kind).toBe('contradict')
  })

  it('puts the declaration before the guess', () => {
    const known = know(quote)
    const same = told(['Ready at once', quote, 'same'])
    expect(admit(corrected(quote), [known], same, CONTEXT).kind).toBe('contradict')
    const opposite = told(['Seen again', quote, 'contradicts'])
    expect(admit(confirmed(quote), [known], opposite, CONTEXT)).toMatchObject({ kind: 'reinforce', weakened: [] })
  })

  it('finds the quoted memory by meaning, by wording and by vector', () => {
    const known = know('After a reboot it needs one minute for its full start')
    const target = { kind: 'contradict', weakened: [{ memory: known.memory }] }
    expect(admit(corrected('slow'), [known], told(['slow', known.memory.content, 'same']), CONTEXT)).toMatchObject(
      target,
    )
    expect(admit(corrected(quote), [known], nothing, CONTEXT)).toMatchObject(target)
    const near = { ...known, vector: Float32Array.of(0.6, 0.8) }
    const context = { ...CONTEXT, quotedVector: Float32Array.of(0.8, 0.6) }
    expect(admit(corrected('slow'), [near], nothing, context)).toMatchObject(target)
    expect(admit(corrected('slow'), [near], nothing, { ...context, quotedVector: Float32Array.of(1, 0) }).kind).toBe(
      'insert',
    )
  })

  it('never takes a memory that contradicts the quotation, nor one of two that fit alike', () => {
    const denied = know('It needs one minute for its start, not')
    const relater = told([quote, denied.memory.content, 'contradicts'])
    expect(admit(corrected(quote), [denied], relater, CONTEXT).kind).toBe('insert')
    const alike = [know('It needs one minute for its start'), know('Now needs one minute for its start')]
    expect(admit(corrected(quote), alike, nothing, CONTEXT).kind).toBe('insert')
  })

  it('finds it in another category of the same service, after those of its own', () => {
    const elsewhere = know(quote, { category: 'behavior' })
    const target = (memory: Memory) => ({ kind: 'contradict', weakened: [{ memory }] })
    expect(admit(corrected(quote), [elsewhere], nothing, CONTEXT)).toMatchObject(target(elsewhere.memory))
    const own = know(`${quote} always`)
    expect(admit(corrected(quote), [elsewhere, own], nothing, CONTEXT)).toMatchObject(target(own.memory))
    expect(admit(corrected(quote), [know(quote, { service: 'plex' })], nothing, CONTEXT).kind).toBe('insert')
  })

  it('corrects what it quotes under another service, if the quotation names what it is about', () => {
    const port = 'The api listens on port 8443'
    const known = know(port, { service: 'api' })
    const corrects = (text: string) => observe('Uses 9000', { service: 'lb', declares: { relation: 'corrects', text } })
    expect(admit(corrects(port), [known], nothing, CONTEXT)).toMatchObject({
      kind: 'contradict',
      weakened: [{ memory: known.memory }],
    })
    const bare = know('Listens on port 8443', { service: 'api' })
    expect(admit(corrects('Listens on port 8443'), [bare], nothing, CONTEXT).kind).toBe('insert')
  })

  it('takes a few words for a quotation only where they hold a number', () => {
    const known = know('It listens on port 8080')
    expect(admit(corrected('port 8080'), [known], nothing, CONTEXT)).toMatchObject({
      weakened: [{ memory: known.memory }],
    })
    expect(admit(corrected('listens port'), [known], nothing, CONTEXT).kind).toBe('insert')
  })

  it('says so when nothing fits, and goes by the guess alone', () => {
    const admission = admit(corrected('the'), [know('The start is slow')], nothing, CONTEXT)
    expect(admission).toMatchObject({ kind: 'insert', confidence: 0.7 })
    expect(admission.reason).toMatch(/^the memory that it quotes is not stored here; /)
    const known = know('Slow')
    expect(admit(corrected('cold'), [known], told(['Ready at once', 'Slow', 'contradicts']), CONTEXT)).toMatchObject({
      kind: 'contradict',
      reason: 'the memory that it quotes is not stored here; as told',
    })
  })

  it('does not correct a memory into itself', () => {
    const known = know('Ready at once')
    expect(admit(corrected('ready at once'), [known], nothing, CONTEXT).kind).toBe('reinforce')
  })

  it('reinforces what agrees with a correction and weakens what is corrected', () => {
    const [wrong, right] = [know(quote), know('Ready at once.')]
    expect(admit(corrected(quote), [wrong, right], nothing, CONTEXT)).toMatchObject({
      kind: 'reinforce',
      memory: right.memory,
      weakened: [{ memory: wrong.memory, confidence: 0.5 }],
    })
  })
})

describe('admit, for workflow memories', () => {
  const workflow = { category: 'rejection', service: null } as const

  it('[C14] keeps one canonical memory for rejections that say the same in every cycle', () => {
    const known = know('Rejected (cycle 1): The retry has no limit', workflow)
    const again = observe('Rejected (cycle 2): the retry has no limit.', workflow)
    expect(admit(again, [known], nothing, CONTEXT)).toMatchObject({ kind: 'reinforce', memory: known.memory })
    expect(admit(again, [known], nothing, { ...CONTEXT, session: 'first-run' }).kind).toBe('duplicate')
  })

  it('never guesses that one event makes another untrue', () => {
    const known = know('Rejected: tests fail', workflow)
    const relater = told(['Rejected: tests pass', 'Rejected: tests fail', 'contradicts'])
    expect(admit(observe('Rejected: tests pass', workflow), [known], relater, CONTEXT).kind).toBe('insert')
  })

  it('keeps two submissions apart that differ in their commit', () => {
    const kept = { category: 'submission', service: null } as const
    const known = know('Submitted ab12cd: retry limit', kept)
    expect(admit(observe('Submitted ef34ab: retry limit', kept), [known], wordRelater, CONTEXT).kind).toBe('insert')
  })
})

describe('what happened earlier', () => {
  const before = '2025-12-01T00:00:00.000Z'
  const known = () => know('Takes 90s', { createdAt: '2026-01-01T00:00:00.000Z' })
  const relater = told(['Takes 60s', 'Takes 90s', 'contradicts'])

  it('corrects nothing that is newer, guessed or declared, and is kept', () => {
    const declares = { relation: 'corrects', text: 'Takes 90s' } as const
    for (const more of [{}, { declares }]) {
      const said = observe('Takes 60s', { occurredAt: before, ...more })
      expect(admit(said, [known()], relater, CONTEXT)).toMatchObject({
        kind: 'insert',
        reason: expect.stringContaining('it happened before what it contradicts'),
      })
    }
  })

  it('corrects what is older still, and what is said of now corrects as ever', () => {
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
    expect(admit(observe(text), [known], nothing, CONTEXT)).toMatchObject({ kind: 'reinforce' })
  },
)
