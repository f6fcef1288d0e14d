import { expect, test } from 'vitest'
import { cosine, RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { dot } from './dot.ts'

test.each([1, 2, 3, 4, 5, 7, 384, 386])('the inner product of %i dimensions counts each of them', (dimensions) => {
  const random = new RandomVectors(dimensions, dimensions)
  const [a, b] = [random.unit(), random.unit()]
  expect(dot(a, b)).toBeCloseTo(cosine(a, b), 6)
  const last = new Float32Array(dimensions)
  last[dimensions - 1] = 2
  expect(dot(last, last)).toBe(4)
})
