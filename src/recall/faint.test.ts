import { expect, it } from 'vitest'
import { isVague, namedBy } from './faint.ts'
import { queryTerms } from './terms.ts'

const NOBODY = { documents: 1000, memories: [] }

it.each([
  ['one sign of a script whose signs are words', '猫', 200, null],
  ['one syllable of Hangul', '집', 200, null],
  ['a letter of an alphabet', 'ж', 200, 0],
  ['a letter that few hold', 'ж', 3, 1],
  ['a short word that no memory holds', 'zz', 0, null],
])('%s: %s', (_, query, frequency, named) => {
  const terms = queryTerms(query)
  expect(isVague(terms)).toBe(true)
  expect(namedBy(terms, [frequency], NOBODY)).toBe(named)
})

it('a code or a longer word is not faint, whatever stands beside it', () => {
  for (const query of ['3.2', 'is it cached', 'E11', 'the x axis'])
    expect(isVague(queryTerms(query)), query).toBe(false)
})

it('a mark names something where three memories hold it or a twentieth of them, a common word where a fiftieth do', () => {
  const named = (query: string, frequency: number, documents: number) =>
    namedBy(queryTerms(query), [frequency], { documents, memories: [] })
  expect([0, 1, 3, 4].map((frequency) => named('x', frequency, 20))).toEqual([0, 1, 1, 0])
  expect([50, 51].map((frequency) => named('x', frequency, 1000))).toEqual([1, 0])
  expect([20, 21].map((frequency) => named('who', frequency, 1000))).toEqual([1, 0])
  expect(namedBy(queryTerms('x 7'), [900, 2], NOBODY)).toBe(0b10)
})
