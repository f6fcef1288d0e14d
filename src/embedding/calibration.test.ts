import { expect, it } from 'vitest'
import { answersFrom } from './calibration.ts'

const calibrate = answersFrom({ sentence: 0.3, terse: 0.5 })

it('puts the line where answers begin, for sentences, terse queries and what is between', () => {
  expect(calibrate(0.3)).toBeCloseTo(0.4, 9)
  expect(calibrate(0.5, 1)).toBeCloseTo(0.4, 9)
  expect(calibrate(0.4, 0.5)).toBeCloseTo(0.4, 9)
})

it('puts the line higher among many memories, and not among few', () => {
  expect(calibrate(0.3, 0, 400)).toBeCloseTo(0.4, 9)
  expect(calibrate(0.36, 0, 4000)).toBeCloseTo(0.4, 9)
  expect(calibrate(1, 1, 1e9)).toBeCloseTo(1, 9)
})

it('keeps the order of cosines, and the same text', () => {
  for (const terseness of [0, 0.5, 1]) {
    expect(calibrate(1, terseness)).toBeCloseTo(1, 9)
    const scores = [-0.2, 0, 0.29, 0.31, 0.49, 0.51, 0.9].map((cosine) => calibrate(cosine, terseness))
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
  }
})
