import { expect, it } from 'vitest'
import { behindCorrections } from './corrections.ts'

const ordered = (ids: string, corrections: Record<string, string>) =>
  behindCorrections(
    [...ids].map((id) => ({ memory: { id } })),
    new Map(Object.entries(corrections)),
  )
    .map(({ memory }) => memory.id)
    .join('')

it('what was corrected comes right behind its correction, and stays where that came before or is not shown', () => {
  expect(ordered('abc', { a: 'b' })).toBe('bac')
  expect(ordered('abc', { a: 'c', b: 'c' })).toBe('cab')
  expect(ordered('abc', { b: 'a', c: 'x' })).toBe('abc')
  expect(ordered('abc', { a: 'b', b: 'c' })).toBe('cba')
})

it('nothing is lost where corrections go round in a ring', () => {
  expect(ordered('abc', { a: 'b', b: 'a' })).toBe('cab')
})
