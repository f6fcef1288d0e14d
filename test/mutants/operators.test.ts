import { expect, it } from 'vitest'
import type { Generated } from '../../scripts/mutate/generate.ts'
import { instrument } from '../../scripts/mutate/instrument.ts'
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
  // Words that are looked for first, and what types ask for where a list is taken apart.
  [
    "const f = [token('a b', 'api', 'x y'), { keywords: 'api' }]",
    ["[token('a b', 'api', 'x y'), { keywords: 'api' }] -> []"],
  ],
  // Waits by chance, and options that only save work.
  ['const f = Math.random() * MOST', []],
  ['const f = async () => { await wait(Math.random() * MOST); await breathe() }', []],
  ['const f = { count: false, vectors: false }', []],
  ["const f = ([a = '']) => {}", []],
  ["const f = ({ a = '' }) => {}", ["'' -> 'x'"]],
  ['const f = { count: true, other: false }', ['true -> false', 'false -> true']],
])('%s', (text, expected) => expect(mistakes(text).toSorted()).toEqual(expected.toSorted()))

it('a text with mistakes in it does what it did while none is on', () => {
  const text = `let a = 0
if (given) a = 1
else a = 2
result(a)`
  const mutants = sitesIn(text).map((site, id): Generated => {
    return { ...site, id, file: '', line: 0, code: text.slice(site.start, site.end) }
  })
  const statement = mutants.find(({ code }) => code === 'a = 1')!
  for (const given of [true, false]) {
    const results: number[] = []
    new Function('given', 'result', instrument(text, [statement]))(given, (a: number) => results.push(a))
    expect(results).toEqual([given ? 1 : 2])
  }
})
