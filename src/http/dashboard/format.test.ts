import { expect, it } from 'vitest'
import { formatAge, formatUntil } from './format.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString()

it.each([
  [1, 'in 1 second'],
  [59.6, 'in 1 minute'],
  [89, 'in 1 minute'],
  [2 * 3600 - 60, 'in 2 hours'],
  [3600 - 10, 'in 1 hour'],
  [37 * 86_400, 'in 1 month'],
  [364.9 * 86_400, 'in 12 months'],
  [370 * 86_400, 'in 1 year'],
])('what is %d seconds ahead is told to the nearest', (seconds, text) => {
  expect(formatUntil(at(seconds), NOW)).toBe(text)
})

it.each([
  [1, 'just now'],
  [119, '1 minute ago'],
  [2 * 3600 - 60, '1 hour ago'],
])('what is %d seconds past is told in whole units', (seconds, text) => {
  expect(formatAge(at(-seconds), NOW)).toBe(text)
})
