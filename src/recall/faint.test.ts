import { expect, it } from 'vitest'
import { isFaint, namedBy } from './faint.ts'
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
  expect(isFaint(terms)).toBe(true)
  expect(namedBy(terms, [frequency], NOBODY)).toBe(named)
})

it('a code or a longer word is not faint, whatever stands beside it', () => {
  for (const query of ['3.2', 'is it cached', 'E11', 'the x axis'])
    expect(isFaint(queryTerms(query)), query).toBe(false)
})
