import { expect, it } from 'vitest'
import { warnOfWordsAlone, wordsAlone } from './words-alone.ts'

it('tells that words alone were compared, and why where there is a reason', () => {
  expect(wordsAlone('other, not compared by meaning (no model)')).toBe('compared by words alone (no model)')
  expect(wordsAlone('other, not compared by meaning')).toBe('compared by words alone')
  expect(wordsAlone('a contradiction by meaning')).toBeNull()
})

it('warns once, with the first reason, of what is to be mended', () => {
  const of = (why: string) => `no memory says it; compared by words alone (${why})`
  expect(warnOfWordsAlone(['the same words', of('no model'), of('too long')])).toMatch(/separate memories: no model$/)
  expect(warnOfWordsAlone(['the same words', 'nothing; compared by words alone'])).toBeNull()
})
