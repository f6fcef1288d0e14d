import { describe, expect, it } from 'vitest'
import { RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { assertPage, PAGE_SLOTS, packPage } from './packed-page.ts'

describe('packPage', () => {
  it('keeps every value within half a step of its scale', () => {
    const random = new RandomVectors(20, 1)
    const entries = Array.from({ length: 30 }, (_, i) => ({ key: i + 1, vector: random.unit() }))
    const { keys, scales, codes } = packPage(entries, 20)
    expect([...keys]).toEqual(entries.map(({ key }) => key))
    for (const [slot, { vector }] of entries.entries()) {
      const scale = scales[slot]!
      const errors = Array.from(vector, (value, i) => Math.abs(value - codes[slot * 20 + i]! * scale))
      expect(Math.max(...errors)).toBeLessThanOrEqual(scale * 0.5001)
    }
  })

  it('gives the largest value the code 127 and a zero vector the scale 0', () => {
    const { scales, codes } = packPage(
      [
        { key: 1, vector: Float32Array.of(-0.8, 0.6) },
        { key: 2, vector: Float32Array.of(0, 0) },
      ],
      2,
    )
    expect([...codes]).toEqual([-127, 95, 0, 0])
    expect([...scales]).toEqual([Math.fround(Math.fround(0.8) / 127), 0])
  })

  it('packs no entries into an empty page', () => {
    const { keys, scales, codes } = packPage([], 8)
    expect([keys.length, scales.length, codes.length]).toEqual([0, 0, 0])
  })

  it('refuses too many entries, bad keys, and vectors of a wrong length or with values that are not finite', () => {
    const vector = Float32Array.of(1, 0)
    const tooMany = Array.from({ length: PAGE_SLOTS + 1 }, (_, i) => ({ key: i + 1, vector }))
    expect(() => packPage(tooMany, 2)).toThrow(RangeError)
    for (const key of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => packPage([{ key, vector }], 2)).toThrow(RangeError)
    }
    for (const bad of [[1], [1, 0, 0], [Number.NaN, 0], [0, Infinity]]) {
      expect(() => packPage([{ key: 1, vector: Float32Array.from(bad) }], 2)).toThrow(RangeError)
    }
  })
})

describe('assertPage', () => {
  it('refuses pages whose parts do not fit together', () => {
    const page = packPage([{ key: 1, vector: Float32Array.of(1, 0) }], 2)
    expect(() => assertPage(page, 2)).not.toThrow()
    expect(() => assertPage(page, 3)).toThrow(RangeError)
    expect(() => assertPage({ ...page, scales: new Float32Array(2) }, 2)).toThrow(RangeError)
    expect(() => assertPage({ ...page, scales: Float32Array.of(Number.NaN) }, 2)).toThrow(RangeError)
    expect(() => assertPage({ ...page, keys: Float64Array.of(-3) }, 2)).toThrow(RangeError)
  })
})
