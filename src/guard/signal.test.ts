import { describe, expect, it } from 'vitest'
import { met, signalTable } from './signal.ts'

const needsOf = (pattern: string, parts = ['delete|drop', '(?:all|every)']) =>
  signalTable('[^.]*?', parts, { kind: { enough: [pattern] } })[0]!.needs.map(({ source }) => source)

describe('signalTable', () => {
  it('makes a signal of each pattern, those that are enough first', () => {
    const [order, hint, own] = signalTable('[^.]{0,9}', [], {
      order: { enough: ['do§it'] },
      hint: { hints: ['soft', /Exact/] },
    })
    expect(order).toMatchObject({ kind: 'order', weight: 2, needs: [] })
    expect(order!.pattern).toEqual(/do[^.]{0,9}it/i)
    expect(hint).toMatchObject({ kind: 'hint', weight: 1, pattern: /soft/i })
    expect(own).toMatchObject({ kind: 'hint', weight: 1, pattern: /Exact/, needs: [] })
  })

  it.each([
    ['(?:delete|drop)§(?:all|every)', ['delete|drop', '(?:all|every)']],
    ['(?:delete|drop)§them', ['delete|drop']],
    // Optional parts, parts in groups and alternatives are not required.
    ['(?:delete|drop)?§(?:all|every)', ['(?:all|every)']],
    ['(?:delete|drop)*§(?:all|every)', ['(?:all|every)']],
    ['(?:delete|drop){0,2}§(?:all|every)', ['(?:all|every)']],
    ['(?:delete|drop)+§(?:all|every)', ['delete|drop', '(?:all|every)']],
    ['(x(?:delete|drop))§(?:all|every)', ['(?:all|every)']],
    ['(?:delete|drop)|(?:all|every)', []],
    ['a|(?:delete|drop)', []],
    // Character classes and escaped characters neither open nor split a group.
    ['[(|](?:delete|drop)', ['delete|drop']],
    ['\\((?:delete|drop)', ['delete|drop']],
    ['a\\|(?:delete|drop)', ['delete|drop']],
    ['(a|b)(?:delete|drop)', ['delete|drop']],
    // Required in one place and optional in another counts as required.
    ['(?:delete|drop)§(?:delete|drop)?', ['delete|drop']],
    ['nothing', []],
  ])('%s needs %j', (pattern, needs) => expect(needsOf(pattern)).toEqual(needs))
})

it('a text meets what it has, in whatever case, unless the pattern is a RegExp of its own', () => {
  const signals = signalTable('[^.]*?', ['delete|drop'], {
    loss: { enough: ['(?:delete|drop)§tables'] },
    exact: { hints: [/NOW/] },
  })
  const kinds = (text: string) => met(signals, text).map(({ kind }) => kind)
  expect(kinds('DROP the Tables')).toEqual(['loss'])
  expect(kinds('drop it. The tables stay')).toEqual([])
  expect(kinds('the tables stay')).toEqual([])
  expect(kinds('do it now')).toEqual([])
  expect(kinds('Delete tables NOW')).toEqual(['loss', 'exact'])
})
