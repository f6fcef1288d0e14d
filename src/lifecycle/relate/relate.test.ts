import { describe, expect, test, vi } from 'vitest'
import { MemoryError } from '../../model/errors.ts'
import { COSINE_FLOOR, floorFor, prepareRelater, type Statement, type StatementPair, wordRelater } from './relate.ts'
import type { Likelihoods, TextPair } from './relation.ts'
import type { RelationModel } from './relation-model.ts'

function say(text: string, vector: Float32Array | null = null): Statement {
  return { text, vector }
}

function pair(a: string, b: string, cosine?: number): StatementPair {
  if (cosine === undefined) return { a: say(a), b: say(b) }
  return { a: say(a, Float32Array.of(1, 0)), b: say(b, Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))) }
}

function likely(same: number, contradicts: number): Likelihoods {
  return { same, contradicts, other: 1 - same - contradicts }
}

/** Gives every pair the same answer. */
function fake(answer: Likelihoods | null | MemoryError) {
  const ask = vi.fn(async (pairs: readonly TextPair[]) => {
    if (answer instanceof MemoryError) throw answer
    return pairs.map(() => answer)
  })
  const model: RelationModel = { name: 'fake', ask, warm: async () => {}, close: async () => {} }
  return { model, ask }
}

const [OLD, NEW] = ['Starts in 5 minutes', 'Is up at once']

async function relate(a: string, b: string, answer: Likelihoods | null) {
  const { model } = fake(answer)
  const relater = await prepareRelater([pair(a, b)], { model })
  expect(relater.relate(say(b), say(a)).relation).toBe(relater.relate(say(a), say(b)).relation)
  return relater.relate(say(a), say(b))
}

describe('prepareRelater', () => {
  test('the model’s answer becomes a verdict that says what was compared and how sure it is', async () => {
    const verdict = await relate(OLD, NEW, likely(0.1, 0.8))
    expect(verdict).toEqual({
      relation: 'contradicts',
      score: 0.92,
      reason: 'a contradiction by meaning, 92 % sure: “Starts in 5 minutes” and “Is up at once”',
    })
    expect(await relate(OLD, NEW, likely(0.9, 0.05))).toMatchObject({ relation: 'same', score: 0.97 })
  })

  test('what is not likely enough is other', async () => {
    expect(await relate(OLD, NEW, likely(0.45, 0.5))).toMatchObject({ relation: 'other' })
    expect(await relate(OLD, NEW, likely(0.5, 0.45))).toMatchObject({ relation: 'other' })
    expect(await relate(OLD, NEW, likely(0.05, 0.05))).toMatchObject({ relation: 'other', score: 0.97 })
  })

  test('a note that contradicts one part of another contradicts it, if that is clear', async () => {
    const note = 'The worker writes its results to S3 and mail is sent at night'
    const other = 'The worker writes results to Postgres'
    const related = async (ofPart: Likelihoods) => {
      const ask = async (pairs: readonly TextPair[]) =>
        pairs.map((texts) => (texts.includes('The worker writes its results to S3.') ? ofPart : likely(0.1, 0.3)))
      const model: RelationModel = { name: 'fake', ask, warm: async () => {}, close: async () => {} }
      const relater = await prepareRelater([pair(note, other)], { model })
      expect(relater.relate(say(other), say(note)).relation).toBe(relater.relate(say(note), say(other)).relation)
      return relater.relate(say(note), say(other))
    }
    expect(await related(likely(0, 0.95))).toMatchObject({
      relation: 'contradicts',
      reason: expect.stringContaining('“The worker writes its results to S3.”'),
    })
    // Parts that say the same leave the pair as it was: the note says more.
    expect(await related(likely(0.98, 0))).toMatchObject({ relation: 'other' })
  })

  test('a full stop at the end makes no difference to what the model is asked', async () => {
    const { model, ask } = fake(likely(0, 0.9))
    for (const stop of ['', '.']) {
      const relater = await prepareRelater([pair(`${OLD}${stop}`, NEW)], { model })
      expect(relater.relate(say(`${NEW}${stop}`), say(OLD)).relation).toBe('contradicts')
    }
    expect(ask.mock.calls).toEqual([[[[`${OLD}.`, `${NEW}.`]]], [[[`${OLD}.`, `${NEW}.`]]]])
  })

  test('the model is not asked about other languages, and what is said in the same words still counts', async () => {
    const { model, ask } = fake(likely(0.99, 0))
    const [always, never] = ['Staging wird jede Nacht gelöscht', 'Staging wird nie gelöscht']
    const relater = await prepareRelater([pair(always, never), pair(always, 'Staging is wiped every night')], { model })
    expect(ask).not.toHaveBeenCalled()
    expect(relater.relate(say(always), say(never))).toMatchObject({
      relation: 'other',
      reason: 'different words, and not compared in this language',
    })
    expect(relater.relate(say(always), say(`${always}.`)).relation).toBe('same')
  })

  test('all pairs are asked about in one call, each once, and the same words never', async () => {
    const { model, ask } = fake(likely(0, 0))
    await prepareRelater(
      [pair('A b', 'C'), pair('C', 'A b'), pair('Waits 60s', 'waits 60 seconds'), pair('A b', 'D')],
      {
        model,
      },
    )
    expect(ask.mock.calls).toEqual([
      [
        [
          ['C.', 'A b.'],
          ['A b.', 'D.'],
        ],
      ],
    ])
  })

  test('with nothing to ask about the model is left alone', async () => {
    const { model, ask } = fake(likely(0, 1))
    await prepareRelater([pair('Waits 60s', 'waits 60 seconds'), pair(OLD, NEW, 0.2), pair('...', OLD)], { model })
    expect(ask).not.toHaveBeenCalled()
  })

  test('far neighbours are other without asking; another floor holds', async () => {
    const { model, ask } = fake(likely(0, 0.9))
    const far = pair(OLD, NEW, 0.39)
    expect((await prepareRelater([far], { model })).relate(far.a, far.b)).toMatchObject({
      relation: 'other',
      reason: 'too far apart to be about the same',
    })
    expect(ask).not.toHaveBeenCalled()
    const relater = await prepareRelater([far], { model, floor: 0 })
    expect(relater.relate(far.a, far.b).relation).toBe('contradicts')
  })

  test('all neighbours above the floor are asked about, however many lie nearer', async () => {
    const cosines = { near: 0.9, nearer: 0.95, far: 0.6, farther: 0.55, stranger: 0.3 }
    const pairs = Object.entries(cosines).map(([text, cosine]) => pair('It is new', text, cosine))
    const { model, ask } = fake(likely(0.05, 0.9))
    const relater = await prepareRelater(pairs, { model })
    expect(ask.mock.calls.flat(2)).toHaveLength(4)
    expect(pairs.map(({ a, b }) => relater.relate(a, b).relation)).toEqual([...Array(4).fill('contradicts'), 'other'])
  })

  test('vectors of words have a floor of their own', () => {
    expect(floorFor('local:nokosu-embed-2')).toBe(COSINE_FLOOR)
    expect(floorFor('http:some-model')).toBeLessThan(COSINE_FLOOR)
    expect(floorFor('hashing:v1-384')).toBeLessThan(floorFor('http:some-model'))
  })

  test('vectors of different lengths are left aside', async () => {
    const { model, ask } = fake(likely(0, 0.9))
    await prepareRelater([{ a: say(OLD, Float32Array.of(1, 0)), b: say(NEW, Float32Array.of(0, 1, 0)) }], { model })
    expect(ask).toHaveBeenCalledOnce()
  })

  test('a pair that was not prepared is the same by its words, or other', async () => {
    const { model } = fake(likely(0, 0.9))
    const relater = await prepareRelater([], { model })
    expect(relater.relate(say(OLD), say(NEW))).toMatchObject({ relation: 'other' })
    expect(relater.relate(say('Waits 1 minute'), say('Waits about 60s'))).toMatchObject({ relation: 'same', score: 1 })
  })

  test('a redacted text is never the same, and may contradict', async () => {
    const [a, b] = ['The token is [REDACTED:github-token]', 'Its token: [REDACTED:github-token]']
    expect(await relate(a, b, likely(0.95, 0.02))).toMatchObject({ relation: 'other' })
    expect(await relate(a, a, likely(0.95, 0.02))).toMatchObject({ relation: 'other' })
    expect(await relate(a, 'There is no token', likely(0.02, 0.95))).toMatchObject({ relation: 'contradicts' })
  })

  test('without a model, or when it fails, different words are other, and the reason says why', async () => {
    const none = await prepareRelater([pair(OLD, NEW)])
    expect(none.relate(say(OLD), say(NEW))).toMatchObject({ relation: 'other', score: 0.5 })
    const { model } = fake(new MemoryError('MISSING_DEPENDENCY', 'The relation model is not installed.'))
    const broken = await prepareRelater([pair(OLD, NEW)], { model })
    expect(broken.relate(say(OLD), say(NEW)).reason).toBe(
      'different words, not compared by meaning (The relation model is not installed.)',
    )
  })

  test('a pair that is too long for the model is other', async () => {
    expect(await relate(OLD, NEW, null)).toMatchObject({
      relation: 'other',
      reason: 'different words, and too long to compare by meaning',
    })
  })

  test.each(['', ' ', '...', '🙂', '('])('odd text (%j) is other, and no error', (text) => {
    expect(wordRelater.relate(say(text), say('Takes 60s to start')).relation).toBe('other')
    expect(wordRelater.relate(say(text), say(text)).relation).toBe('other')
  })
})

describe('what the model overlooks', () => {
  const same = likely(0.98, 0.01)
  const contradicts = likely(0.01, 0.98)

  test('the same claim with another value contradicts', async () => {
    expect((await relate('Retention is 30 days', 'Retention is thirty-one days', same)).relation).toBe('contradicts')
    expect((await relate('Drift is +3 seconds', 'Drift is -3 seconds', same)).relation).toBe('contradicts')
  })

  test('so does one other value of which the model thinks little, unless it is sure', async () => {
    expect(await relate('Runs on port 8080', 'Runs on port 8008', likely(0.22, 0.08))).toMatchObject({
      relation: 'contradicts',
      reason: 'a contradiction: the same words except 8080 and 8008',
    })
    expect((await relate('v3 of 9 shipped', 'v2 of 8 shipped', likely(0.22, 0.08))).relation).toBe('other')
    expect((await relate('A 204 is delivered', 'A 202 is delivered', likely(0.15, 0.04))).relation).toBe('other')
  })

  test('the same words in another order are the same only when the model is sure', async () => {
    const [a, b] = ['Service A calls service B', 'Service B calls service A']
    expect((await relate(a, b, likely(0.71, 0.05))).relation).toBe('other')
    expect((await relate('Before merging, run make', 'Run make before merging', same)).relation).toBe('same')
    expect((await relate('Not all tests are flaky', 'All tests are not flaky', same)).relation).toBe('other')
  })

  test('another path is not the same, and may be a contradiction', async () => {
    const [a, b] = ['Logs go to /var/log/app', 'Logs go to /var/logs/app']
    expect((await relate(a, b, same)).relation).toBe('other')
    expect((await relate(a, b, contradicts)).relation).toBe('contradicts')
  })

  test('what can be said of one alone is another claim about another', async () => {
    const [a, b] = ['db1 is the only primary', 'db2 is the only primary']
    expect((await relate(a, b, contradicts)).relation).toBe('contradicts')
  })

  test('what adds something is something else, and nobody is asked', async () => {
    const { model, ask } = fake(contradicts)
    const [a, b] = ['The agent needs Java', 'The agent needs Java and a lot of heap']
    const relater = await prepareRelater([pair(a, b)], { model })
    expect(relater.relate(say(b), say(a))).toMatchObject({ relation: 'other', reason: expect.stringContaining('adds') })
    expect(ask).not.toHaveBeenCalled()
  })

  test('what holds at different times, and what is possible beside something else, does not contradict', async () => {
    const { model, ask } = fake(contradicts)
    const [a, b] = ['On Mondays the digest is long', 'On Fridays there is no digest']
    expect((await prepareRelater([pair(a, b)], { model })).relate(say(a), say(b)).relation).toBe('other')
    expect(ask).not.toHaveBeenCalled()
    expect((await relate('Logs can be filtered', 'Logs can be searched', contradicts)).relation).toBe('other')
    expect((await relate('Logs can be filtered', 'Logs can be searched', same)).relation).toBe('same')
  })

  test('another mark or case is neither the same nor a contradiction, nor is another way to write a number', async () => {
    expect((await relate('Run it with -v', 'Run it with -V', same)).relation).toBe('other')
    expect((await relate('Threshold is 0.80', 'Threshold is 0.8', contradicts)).relation).toBe('other')
  })

  test('the same said of two things is something else, and nobody is asked', async () => {
    const { model, ask } = fake(contradicts)
    const [a, b] = ['ff_50 is on in staging', 'ff_37 is on in staging']
    const relater = await prepareRelater([pair(a, b)], { model })
    expect(relater.relate(say(a), say(b))).toMatchObject({
      relation: 'other',
      reason: expect.stringContaining('ff_37'),
    })
    expect(ask).not.toHaveBeenCalledWith([[a, b]])
  })

  test('a redacted text never contradicts itself', async () => {
    const text = 'Deploys need DEPLOY_TOKEN=[REDACTED:github-token]'
    expect((await relate(text, text, contradicts)).relation).toBe('other')
  })
})
