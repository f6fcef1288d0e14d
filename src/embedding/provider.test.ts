import { expect, test } from 'vitest'
import { normalize } from '../vector/normalize.ts'

test('a vector is scaled to unit length in place', () => {
  const vector = Float32Array.of(3, 0, -4)
  expect(normalize(vector)).toBe(vector)
  expect([...vector]).toEqual([Math.fround(0.6), 0, Math.fround(-0.8)])
})

test('the zero vector stays zero instead of becoming NaN', () => {
  expect([...normalize(new Float32Array(3))]).toEqual([0, 0, 0])
})
