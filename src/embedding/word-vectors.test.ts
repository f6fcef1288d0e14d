import { expect, test } from 'vitest'
import { VECTOR_WIDTH, wordVectors } from './word-vectors.ts'

/** A row filled with one value. */
const row = (value: number) => new Uint8Array(VECTOR_WIDTH).fill(value)

function bytes(...parts: (Uint8Array | Float32Array | Uint16Array)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer))))
}

const shared = bytes(new Float32Array([0.5]), row(44), row(46), row(0))

test('a piece has its row, from zero in the middle, times the step', () => {
  const found = wordVectors(shared)(BigInt64Array.of(1n, 2n, 0n))
  expect([0, 1, 2].map((i) => found[i * VECTOR_WIDTH])).toEqual([1, -22, 0])
  expect(found).toHaveLength(3 * VECTOR_WIDTH)
})

test('a row that a model has of its own goes before the shared one, and no other does', () => {
  const own = bytes(new Uint16Array([1, 2]), row(54))
  const found = wordVectors(shared, own)(BigInt64Array.of(2n, 1n))
  expect([found[0], found.at(-1)]).toEqual([5, 1])
})
