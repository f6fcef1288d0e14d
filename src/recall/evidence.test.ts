import { expect, it } from 'vitest'
import type { Memory } from '../model/memory.ts'
import { tokenize } from '../text/tokens.ts'
import { withoutCopies } from './copies.ts'
import { gatherEvidence } from './evidence.ts'
import { RANKING } from './ranking.ts'
import { KeywordScorer, weighTerms } from './score.ts'
import { namesIn, queryTerms, withoutNames } from './terms.ts'

const AT = '2026-06-01T00:00:00.000Z'
const line = (content: string, fields: Partial<Memory> = {}) => ({
  memory: {
    content,
    service: null,
    tags: [],
    layer: 'project',
    identifiers: { projectId: 'shop' },
    thread: null,
    occurredAt: null,
    createdAt: AT,
    ...fields,
  } as unknown as Memory,
  vector: new Float32Array([1, 0]),
})
const talk = (index: number, id = 'talk') => ({ thread: { id, index } })
const scorerOf = (query: string) => {
  const terms = queryTerms(query)
  return new KeywordScorer(
    weighTerms(
      terms,
      terms.map(() => 1),
      100,
    ),
  )
}
const gather = (
  query: string,
  lines: ReturnType<typeof line>[],
  times: { text: string; holds(time: number): boolean }[] = [],
) => gatherEvidence(lines, { scorer: scorerOf(query), compare: (vector) => vector[0]!, times, ranking: RANKING })
const long =
  ' and so on, until the sentence is long enough to say something about what was meant by it, to whoever may read it at last'

it('lines lend their words to those beside them: the one before most, and nobody who is three away', () => {
  const lines = ['alpha', 'one', 'two', 'three'].map((word, index) => line(word + long, talk(index)))
  const [own, next, second, third] = gather('alpha', lines).map(({ information }) => information)
  expect(own).toBeGreaterThan(next!)
  expect(next).toBeGreaterThan(second!)
  expect(second).toBeGreaterThan(0)
  expect(third).toBe(0)
})

it('what was borrowed is not lent on, and a word that a line has is not borrowed', () => {
  const both = gather('alpha', [line(`alpha${long}`, talk(0)), line(`alpha${long}`, talk(1))])
  expect(both[1]!.information).toBeCloseTo(both[0]!.information, 9)
})

it('what two neighbours say is lent once', () => {
  const said = ['alpha', 'alpha', 'two'].map((word, index) => line(word + long, talk(index)))
  const once = ['one', 'alpha', 'two'].map((word, index) => line(word + long, talk(index)))
  expect(gather('alpha', said)[2]!.information).toBeCloseTo(gather('alpha', once)[2]!.information, 9)
})

it('lines of other threads, other scopes and no thread lend nothing', () => {
  const lab = { identifiers: { projectId: 'lab' } }
  const lines = [
    line(`alpha${long}`, talk(0)),
    line(`beta${long}`, talk(1, 'other')),
    line(`beta${long}`, { ...talk(1), ...lab }),
    line(`beta${long}`),
  ]
  expect(
    gather('alpha', lines)
      .slice(1)
      .map(({ information }) => information),
  ).toEqual([0, 0, 0])
})

it('meaning is lent as well, less to a short line and to a question', () => {
  const meaningOf = (content: string) => gather('zeta', [line(content, talk(5))])[0]!.meaning!
  expect(meaningOf('Yes.')).toBeLessThan(meaningOf(`Yes${long}`))
  expect(meaningOf(`Yes${long}?`)).toBeLessThan(meaningOf(`Yes${long}`))
  const alone = meaningOf(`Yes${long}`)
  const pair = gather('zeta', [line(`Yes${long}`, talk(5)), line(`No${long}`, talk(6))])
  expect(pair[0]!.meaning).toBeGreaterThan(alone)
})

it('an answer has more of what was asked before it than a line has of a statement', () => {
  const after = (first: string) => gather('alpha', [line(first, talk(0)), line(`Three${long}`, talk(1))])[1]!
  const [asked, said] = [after(`alpha${long}?`), after(`alpha${long}`)]
  expect(asked.information).toBeGreaterThan(said.information)
  expect(asked.meaning).toBeGreaterThan(said.meaning!)
})

it('a time is not lent: neither to the thread as its best, nor in words', () => {
  const [july, june] = ['2026-07-02T00:00:00.000Z', '2026-06-02T00:00:00.000Z']
  const lines = [
    line(`July${long}`, { ...talk(0), occurredAt: july }),
    line(`one${long}`, { ...talk(1), occurredAt: june }),
  ]
  const times = [{ text: 'in July', holds: (time: number) => new Date(time).getUTCMonth() === 6 }]
  const terms = [{ text: 'july', tokens: tokenize('july'), weight: 2, ofTime: true }]
  const asked = { compare: (vector: Float32Array) => vector[0]!, ranking: RANKING }
  const gathered = (named: typeof times, scorer: KeywordScorer) =>
    gatherEvidence(lines, { scorer, times: named, ...asked })
  const [of, other] = gathered(times, new KeywordScorer(terms, { more: RANKING.time }))
  const [, untimed] = gathered([], new KeywordScorer(terms, { more: RANKING.time }))
  expect(of!.information).toBeCloseTo(2 + RANKING.time, 9)
  expect(other).toEqual(untimed)
  expect(other!.information).toBe(0)
})

it('a whole thread gains by its best', () => {
  const far = (content: string) => line(content + long, talk(9))
  const without = gather('alpha', [line(`one${long}`, talk(0)), far('two')])[1]!.meaning!
  const withBest = gather('alpha', [line(`alpha${long}`, talk(0)), far('two')])[1]!.meaning!
  expect(withBest).toBeGreaterThan(without)
})

it('a memory of the time that is asked about holds more', () => {
  const times = [{ text: 'in May', holds: (time: number) => new Date(time).getUTCMonth() === 4 }]
  const [may, june] = gather(
    'deploy',
    [line('deploy', { occurredAt: '2026-05-02T00:00:00.000Z' }), line('deploy')],
    times,
  )
  expect(may!.information).toBeCloseTo(june!.information + RANKING.time, 9)
})

it('a memory that says when it was, and is of the time that is named, convinces sooner', () => {
  const scorer = scorerOf('deploy failed in May')
  expect(scorer.worth(1, 0, true).whole).toBeCloseTo(RANKING.timely, 9)
  const times = [{ text: 'in May', holds: () => true }]
  const found = gather('deploy', [line('deploy', { occurredAt: AT }), line('deploy')], times)
  expect(found.map(({ timely }) => timely)).toEqual([true, false])
})

it('a service or speaker whom the question names tells more than the name in a text', () => {
  const terms = [{ text: 'mel', tokens: ['mel'], weight: 0.5 }]
  const lines = [
    line('met Mel', { service: 'Ann' }),
    line('it was cold', { service: 'Mel' }),
    line('Mel (8 May): it was cold', talk(0, 'a')),
    line('Mel: it was cold'),
  ]
  const scorer = new KeywordScorer(terms)
  const found = gatherEvidence(lines, { scorer, compare: null, times: [], ranking: RANKING })
  expect(found.map(({ information }) => information)).toEqual([0.5, RANKING.writer, RANKING.writer, 0.5])
})

it('copies do not make their words common', () => {
  const candidates = [line('disk full'), line('disk full'), line('disk full'), line('disk ok')]
  const counted = withoutCopies(
    { candidates, documents: 10, frequencies: [] },
    new Map([
      ['disk', 4],
      ['full', 3],
      ['other', 2],
    ]),
  )
  expect(counted.documents).toBe(8)
  expect([...counted.frequencies]).toEqual([
    ['disk', 2],
    ['full', 1],
    ['other', 2],
  ])
})

it('names are left out of what is embedded, unless little else is left', () => {
  expect(namesIn("When did Caroline meet Mel's sister at the API?").map(({ text }) => text)).toEqual([
    'Caroline',
    'Mel',
  ])
  const names = new Set(['Caroline', 'Mel'])
  expect(withoutNames("When did Caroline meet Mel's sister?", names)).toBe('When did meet sister?')
  expect(withoutNames('Who is Caroline?', names)).toBe('Who is Caroline?')
  expect(withoutNames('src/Caroline/x is broken', names)).toBe('src/Caroline/x is broken')
})

it('a long text has many words by chance: they count less than those of a paragraph, but not in a thread', () => {
  const paragraph = `alpha${long}${long}`
  const chapter = `alpha${long.repeat(8)}`
  const [alone, short, told] = gather('alpha', [line('alpha'), line(paragraph), line(chapter)])
  expect(short!.information).toBe(alone!.information)
  expect(told!.information).toBeLessThan(short!.information)
  const [shortLine, longLine] = gather('alpha', [line('alpha', talk(0)), line(chapter, talk(9))])
  expect(longLine!.information).toBe(shortLine!.information)
})
