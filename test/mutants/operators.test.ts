import { expect, it } from 'vitest'
import { sitesIn } from '../../scripts/mutate/operators.ts'

/** The mistakes that are made in a text: what is put for what. */
const mistakes = (text: string) => sitesIn(text).map(({ start, end, put }) => `${text.slice(start, end)} -> ${put}`)

it.each([
  // A limit that somebody tuned is tried the other way round, not by one more; where a text begins is tried by one more.
  ['f = score >= ANSWER', ['f = score >= ANSWER -> ', 'score >= ANSWER -> (score) < (ANSWER)']],
  ['f = size > 64', ['f = size > 64 -> ', 'size > 64 -> (size) <= (64)']],
  ['f = a < b', ['f = a < b -> ', 'a < b -> (a) <= (b)']],
  // A full cache is emptied and filled: when, only costs time. What is not a cache is.
  ['const f = () => { if (known.size >= MOST) known.clear()\n known.set(a, b) }', []],
  ['const f = () => { known.set(a, b) }', ['known.set(a, b) -> ']],
  // A sort reads the sign.
  [
    'const f = list.sort((a, b) => (a < b ? -1 : 1))',
    [
      'list.sort((a, b) => (a < b ? -1 : 1)) -> list',
      'a < b -> (a) >= (b)',
      'a < b ? -1 : 1 -> (a < b) ? (1) : (-1)',
      '1 -> (0)',
    ],
  ],
  // Waits by chance, and options that only save work.
  ['const f = Math.random() * MOST', []],
  ['const f = { count: false, vectors: false }', []],
  ['const f = { count: true, other: false }', ['true -> false', 'false -> true']],
])('%s', (text, expected) => expect(mistakes(text).toSorted()).toEqual(expected.toSorted()))
