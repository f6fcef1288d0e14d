import { expect, it } from 'vitest'
import { readPicks } from './pick.ts'

const picked = (answer: string) => {
  const numbers = readPicks(answer, 5)
  return numbers === null ? null : [...numbers]
}

it('reads which of a list are meant', () => {
  expect(picked('all')).toEqual([1, 2, 3, 4, 5])
  expect(picked(' 1, 3-4 ')).toEqual([1, 3, 4])
  expect(picked('-2')).toEqual([1, 3, 4, 5])
  expect(picked('-2 -4-5')).toEqual([1, 3])
  expect(picked('2-4 -3')).toEqual([2, 4])
  for (const none of ['', 'n', 'None']) expect(picked(none)).toEqual([])
})

it('does not guess at what cannot be read', () => {
  for (const answer of ['6', '0', '4-2', 'all 2', 'the first']) expect(picked(answer)).toBeNull()
})
