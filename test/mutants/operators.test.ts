import { expect, it } from 'vitest'
import type { Generated } from '../../scripts/mutate/generate.ts'
import { instrument } from '../../scripts/mutate/instrument.ts'
import { sitesIn } from '../../scripts/mutate/operators.ts'

/** The mutations of a text, as original and replacement. */
const mistakes = (text: string) => sitesIn(text).map(({ start, end, put }) => `${text.slice(start, end)} -> ${put}`)

it.each([
  // Tuned limits are reversed, not increased by one; start offsets are increased by one.
  ['f = score >= ANSWER', ['f = score >= ANSWER -> ', 'score >= ANSWER -> (score) < (ANSWER)']],
  ['f = size > 64', ['f = size > 64 -> ', 'size > 64 -> (size) <= (64)']],
  ['f = a < b', ['f = a < b -> ', 'a < b -> (a) <= (b)']],
  // Emptying a full cache only costs time. Other clears are mutated.
  ['const f = () => { if (known.size >= MOST) known.clear()\n known.set(a, b) }', []],
  ['const f = () => { known.set(a, b) }', ['known.set(a, b) -> ']],
  // Sorting only uses the sign.
  [
    'const f = list.sort((a, b) => (a < b ? -1 : 1))',
    [
      'list.sort((a, b) => (a < b ? -1 : 1)) -> list',
      'a < b -> (a) >= (b)',
      'a < b ? -1 : 1 -> (a < b) ? (1) : (-1)',
      '1 -> (0)',
    ],
  ],
  // Keyword prefilters, and defaults that only satisfy the types.
  [
    "const f = [token('a b', 'api', 'x y'), { keywords: 'api' }]",
    ["[token('a b', 'api', 'x y'), { keywords: 'api' }] -> []"],
  ],
  // Random waits, and options that only save work.
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
