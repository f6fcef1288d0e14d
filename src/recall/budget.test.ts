import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens, fitBlock, type Line, type Room, type Shape } from './budget.ts'

/** A header such as `1/2 ~9`, and each group's name above its lines. */
const SHAPE: Shape = {
  header: ({ included, total, tokens }) => `${included}/${total} ~${tokens}`,
  opening: (group) => `\n# ${group}`,
  compareGroups: (a, b) => (a < b ? -1 : 1),
}
const line = (id: string, text: string, group = 'g'): Line => ({ id, group, text })
const ROOM = { characters: 1000, lines: 10 }

it('counts four characters as a token, and a rest as one more', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(estimateTokens)).toEqual([0, 1, 1, 2])
})

describe('fitBlock', () => {
  it('puts lines of a group together, groups in their order, and states the tokens of the whole', () => {
    const lines = [line('1', 'one', 'b'), line('2', 'two', 'a'), line('3', 'three', 'b')]
    const { text, included, omitted, tokens } = fitBlock(lines, SHAPE, ROOM)
    expect(text).toBe('3/3 ~7\n# a\ntwo\n# b\none\nthree')
    expect(included).toEqual([
      { id: '2', tokens: 1 },
      { id: '1', tokens: 1 },
      { id: '3', tokens: 2 },
    ])
    expect(omitted).toEqual([])
    expect(tokens).toBe(estimateTokens(text))
    expect(tokens).toBe(7)
  })

  it('says nothing without a line, or where none fits', () => {
    expect(fitBlock([], SHAPE, ROOM)).toEqual({ text: '', included: [], omitted: [], tokens: 0 })
    expect(fitBlock([line('1', 'one')], SHAPE, { ...ROOM, lines: 0 })).toEqual({
      text: '',
      included: [],
      omitted: [{ id: '1', reason: 'there is room for 0 entries' }],
      tokens: 0,
    })
  })

  it('takes what fits to the character, and leaves out what needs one more', () => {
    const lines = [line('1', 'one'), line('2', 'two')]
    const { text } = fitBlock(lines, SHAPE, ROOM)
    expect(fitBlock(lines, SHAPE, { ...ROOM, characters: text.length }).text).toBe(text)
    const less = fitBlock(lines, SHAPE, { ...ROOM, characters: text.length - 1 })
    expect(less.text).toBe('1/2 ~4\n# g\none')
    expect(less.omitted).toEqual([{ id: '2', reason: 'over budget: needs 4 characters, 3 are left' }])
    // A header that grows with every line.
    const growing = { ...SHAPE, header: ({ included }: { included: number }) => 'x'.repeat(included) }
    const three = [...lines, line('3', 'six')]
    expect(fitBlock(three, growing, { ...ROOM, characters: 'xx\n# g\none\ntwo'.length }).included).toHaveLength(2)
  })

  it('tries the whole first, as many lines as there is room for: only its header may be the shorter one', () => {
    const lines = [line('1', 'one'), line('2', 'two')]
    const counted = {
      ...SHAPE,
      header: ({ included, total }: { included: number; total: number }) =>
        included < total ? `${included} of ${total}` : '',
    }
    const { text } = fitBlock(lines, counted, ROOM)
    const exact = { characters: text.length, lines: 2 }
    expect(fitBlock(lines, counted, exact).text).toBe(text)
    expect(fitBlock(lines, counted, { ...exact, lines: 1 }).text).not.toContain('two')
    expect(fitBlock(lines, counted, { ...exact, further: 1 }).omitted).toHaveLength(2)
  })

  it('says what a line needs with its opening, and never that less than nothing is left', () => {
    const { omitted } = fitBlock([line('1', 'one')], SHAPE, { ...ROOM, characters: 2 })
    expect(omitted).toEqual([{ id: '1', reason: 'over budget: needs 8 characters, 0 are left' }])
  })

  it('tells what is left beside the header that the line would make longer', () => {
    const short = Array.from({ length: 9 }, (_, i) => line(String(i), 'one'))
    const given = [...short, line('long', 'x'.repeat(100))]
    const { included, omitted } = fitBlock(given, SHAPE, { ...ROOM, characters: 60 })
    expect(included).toHaveLength(9)
    // Nine lines and their opening take 40 of 60 characters, and `10/10 ~0` takes eight.
    expect(omitted).toEqual([{ id: 'long', reason: 'over budget: needs 101 characters, 12 are left' }])
  })

  it('passes over what is too long for a smaller one behind it', () => {
    const lines = [line('1', 'x'.repeat(50)), line('2', 'two')]
    const { included, omitted } = fitBlock(lines, SHAPE, { ...ROOM, characters: 20 })
    expect(included.map(({ id }) => id)).toEqual(['2'])
    expect(omitted.map(({ id }) => id)).toEqual(['1'])
  })

  it('takes as many lines as there is room for, and counts those that were not given', () => {
    const lines = [line('1', 'one'), line('2', 'two')]
    expect(fitBlock(lines, SHAPE, { ...ROOM, lines: 2 }).included).toHaveLength(2)
    const { text, omitted } = fitBlock(lines, SHAPE, { ...ROOM, lines: 1 })
    expect(text).toMatch(/^1\/2 /)
    expect(omitted).toEqual([{ id: '2', reason: 'there is room for 1 entries' }])
    expect(fitBlock(lines, SHAPE, { ...ROOM, further: 3 }).text).toMatch(/^2\/5 /)
  })

  it('tries the header that says nothing was left out before anything is', () => {
    const shape: Shape = { ...SHAPE, header: ({ included, total }) => (included === total ? '' : 'x'.repeat(30)) }
    const lines = [line('1', 'one'), line('2', 'two')]
    const room = { ...ROOM, characters: '\n# g\none\ntwo'.length }
    expect(fitBlock(lines, shape, room).included).toHaveLength(2)
    expect(fitBlock(lines, shape, { ...room, further: 1 }).included).toHaveLength(0)
  })

  it('fits any room, loses nothing, and tells its own size', () => {
    const lines = fc.array(fc.record({ text: fc.string({ maxLength: 40 }), group: fc.constantFrom('a', 'b', 'c') }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(lines, fc.nat(300), fc.nat(12), fc.nat(3), (given, characters, most, further) => {
        const all = given.map(({ text, group }, i) => line(String(i), text, group))
        const room: Room = { characters, lines: most, further }
        const { text, included, omitted, tokens } = fitBlock(all, SHAPE, room)
        expect(text.length).toBeLessThanOrEqual(characters)
        expect(included.length).toBeLessThanOrEqual(most)
        expect([...included, ...omitted].map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(
          all.map((_, i) => i),
        )
        expect(tokens).toBe(estimateTokens(text))
        if (text !== '') expect(text.split('\n')[0]).toBe(`${included.length}/${all.length + further} ~${tokens}`)
      }),
      { seed: 7 },
    )
  })
})
