import { expect, test } from 'vitest'
import { isMissed, mean, ratio, share } from '../../eval/interval.ts'
import { toText } from '../../eval/report.ts'

test('a share has Wilson’s interval, which stays between 0 and 1', () => {
  expect(share('x', 24, 26)).toMatchObject({ count: 24, of: 26 })
  expect(share('x', 24, 26).low).toBeCloseTo(0.759, 3)
  expect(share('x', 24, 26).high).toBeCloseTo(0.979, 3)
  expect(share('x', 0, 0)).toMatchObject({ value: 0, low: 0, high: 1 })
  expect(share('x', 5, 5).high).toBe(1)
  expect(share('x', 0, 216).low).toBe(0)
})

test('a ratio is one of sums, and its interval the same in every run', () => {
  const parts = [
    [1, 2],
    [0, 2],
    [2, 2],
  ] as const
  expect(ratio('x', parts)).toMatchObject({ value: 0.5, count: 3, of: 6 })
  expect(ratio('x', parts)).toEqual(ratio('x', parts))
  const { low, high } = ratio('x', parts)
  expect(low).toBeLessThan(0.5)
  expect(high).toBeGreaterThan(0.5)
  expect(mean('x', [])).toMatchObject({ value: 0, of: 0 })
})

test('a bar that is missed is named as missed', () => {
  expect(isMissed(share('x', 1, 2, { least: 0.5 }))).toBe(false)
  expect(isMissed(share('x', 1, 2, { most: 0.4 }))).toBe(true)
  const report = {
    eval: 'one',
    scoring: 'Counted.',
    groups: [{ name: 'all', figures: [share('x', 1, 2, { most: 0.4 })] }],
  }
  expect(toText(report)).toContain('bar: at most 40 %, MISSED')
})
