import { expect, it } from 'vitest'
import { shortenAtWord } from './shorten.ts'

it.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['one two three', 12, 'one two…'],
  ['one two three', 8, 'one two…'],
  ['comma, then more', 8, 'comma…'],
  ['averyveryverylongword', 10, 'averyvery…'],
  ['ab 👍👍👍', 5, 'ab 👍'.slice(0, 3).trim().concat('…')],
  ['anything', 1, '…'],
  ['anything', 0, ''],
])('shortens %j to %i characters', (text, max, expected) => {
  const short = shortenAtWord(text, max)
  expect(short.length).toBeLessThanOrEqual(max)
  expect(short).toBe(expected)
  expect(short.isWellFormed()).toBe(true)
})
