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

/** Answers every pair alike. */
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
          ['C', 'A b'],
          ['A b', 'D'],
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

  test('of many neighbours the two nearest are asked about, and the others where one of these is related', async () => {
    const cosines = { near: 0.9, nearer: 0.95, far: 0.6, farther: 0.55 }
    const pairs = Object.entries(cosines).map(([text, cosine]) => pair('It is new', text, cosine))
    const strangers = fake(likely(0.05, 0.05))
    const apart = await prepareRelater(pairs, { model: strangers.model })
    expect(strangers.ask.mock.calls).toEqual([
      [
        pairs
          .slice(0, 2)
          .map(({ a, b }) => [a.text, b.text])
          .reverse(),
      ],
    ])
    expect(apart.relate(pairs[2]!.a, pairs[2]!.b).reason).toBe('what lies nearer is about something else')
    const opposites = fake(likely(0.05, 0.9))
    const against = await prepareRelater(pairs, { model: opposites.model })
    expect(pairs.map(({ a, b }) => against.relate(a, b).relation)).toEqual(Array(4).fill('contradicts'))
    // So they are beside one that says the same in the same words.
    const beside = fake(likely(0.05, 0.05))
    await prepareRelater([pair('It is new', 'it is new'), ...pairs], { model: beside.model })
    expect(beside.ask.mock.calls.flat(2)).toHaveLength(4)
    const broken = await prepareRelater(pairs, { model: fake(new MemoryError('MISSING_DEPENDENCY', 'gone')).model })
    expect(broken.relate(pairs[2]!.a, pairs[2]!.b).reason).toBe('different words, not compared by meaning (gone)')
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

  test('another mark or case is not the same', async () => {
    expect((await relate('Run it with -v', 'Run it with -V', same)).relation).toBe('other')
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
