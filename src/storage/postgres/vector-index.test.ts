import { expect, it } from 'vitest'
import { isWorthIndex } from './vector-index.ts'

it.each([
  { scope: 2000, store: 2000, worth: false },
  { scope: 2001, store: 2001, worth: true },
  { scope: 10_000, store: 10_000, worth: true },
  { scope: 10_000, store: 625_000, worth: true },
  { scope: 10_000, store: 625_001, worth: false },
  { scope: 10_000, store: 10_000_000, worth: false },
  { scope: 40_000, store: 10_000_000, worth: true },
])('an index for a scope of $scope in a store of $store: $worth', ({ scope, store, worth }) => {
  expect(isWorthIndex(scope, store, 40, 2000)).toBe(worth)
})
