import { expect, it } from 'vitest'
import { roundDown } from './round-down.ts'

it('never shows a score as one that it does not reach', () => {
  expect(roundDown(0.699)).toBe('0.69')
  expect(roundDown(0.699999)).toBe('0.69')
  expect(roundDown(0.6999, 3)).toBe('0.699')
})

it('shows a score that has no more digits as it is', () => {
  for (const score of [0, 0.07, 0.29, 0.57, 0.58, 0.7, 1]) expect(roundDown(score)).toBe(score.toFixed(2))
})
