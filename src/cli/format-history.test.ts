import { expect, it } from 'vitest'
import { cpuTime } from '../../test/cpu-time.ts'
import { diffWords } from '../text/word-diff.ts'
import { formatDiff } from './format-history.ts'

const shown = (before: string, after: string) => formatDiff(diffWords(before, after))

it.each([
  ['Takes 60s to start', 'Takes 90s to start', 'Takes [-60s-]{+90s+} to start'],
  ['Takes 60s', 'Takes 60s on Mondays', 'Takes 60s {+on Mondays+}'],
  ['Never on Fridays', 'on Fridays', '[-Never-] on Fridays'],
  ['a b c d', 'a x y d', 'a [-b c-]{+x y+} d'],
  ['テストは先にRedisを起動する', 'テストは先にPostgresを起動する', 'テストは先に[-Redis-]{+Postgres+}を起動する'],
  ['one\ntwo', 'one\nthree', 'one\n[-two-]{+three+}'],
  ['', 'new', '{+new+}'],
  ['same', 'same', 'same'],
])('%j to %j', (before, after, expected) => {
  expect(shown(before, after)).toBe(expected)
})

it('gives back both texts, and is quick with long ones', async () => {
  const words = (count: number, step: number) => Array.from({ length: count }, (_, i) => `w${i * step}`).join(' ')
  const [before, after] = [words(6000, 1), words(6000, 3)]
  let pieces: ReturnType<typeof diffWords> = []
  const ms = await cpuTime(() => {
    pieces = diffWords(before, after)
  })
  expect(ms).toBeLessThan(3000)
  const join = (without: string) =>
    pieces
      .filter(({ kind }) => kind !== without)
      .map(({ text }) => text)
      .join('')
  expect(join('new').replace(/\s+/g, ' ')).toBe(before)
  expect(join('old')).toBe(after)
})
