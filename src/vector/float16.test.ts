import { expect, test } from 'vitest'
import { cosine, RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { decodeFloat16, encodeFloat16 } from './float16.ts'

const through = (...values: number[]) =>
  Array.from(decodeFloat16(encodeFloat16(Float32Array.from(values)), values.length))

test('values that 16 bits can hold come back as they are, signs and the smallest ones included', () => {
  const values = [0, 1, -1, 0.5, -0.25, 0.333251953125, 65504, 2 ** -14, 2 ** -24, -3 * 2 ** -24]
  expect(through(...values)).toEqual(values)
  // Both zeros become one.
  expect(through(-0, -1e-9)).toEqual([0, 0])
})

test('other values are rounded to the nearest, ties to even', () => {
  const step = 2 ** -10
  expect(through(1 + step / 2, 1 + (3 * step) / 2, 1 + step * 0.6, 1e6, -1e6)).toEqual([
    1,
    1 + 2 * step,
    1 + step,
    Infinity,
    -Infinity,
  ])
  expect(through(Number.NaN)).toEqual([Number.NaN])
})

test('the cosine of two unit vectors changes by less than 0.001', () => {
  const random = new RandomVectors(384, 5)
  for (let i = 0; i < 50; i++) {
    const [a, b] = [random.unit(), random.unit()]
    const kept = decodeFloat16(encodeFloat16(b), 384)
    expect(Math.abs(cosine(a, kept) - cosine(a, b))).toBeLessThan(0.001)
  }
})

test('bytes that start at an odd address are read, and a wrong number of them is refused', () => {
  const encoded = encodeFloat16(Float32Array.of(0.5, -2))
  const shifted = new Uint8Array(5)
  shifted.set(encoded, 1)
  expect(Array.from(decodeFloat16(shifted.subarray(1), 2))).toEqual([0.5, -2])
  expect(() => decodeFloat16(encoded, 3)).toThrow(RangeError)
})
