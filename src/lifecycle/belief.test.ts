import { describe, expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { Memory } from '../model/memory.ts'
import { describeDispute, standsBeside, voicesOf, withVoice } from './belief.ts'
import { withoutBelief, withSettled } from './decisions.ts'

const NOW = new Date('2026-03-30T00:00:00.000Z')
const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}T00:00:00.000Z`

/** Two contradicting memories; the second is newer. Each agent has the day of its last statement and how often it spoke. */
function pair(old: [string, number, number?][], young: [string, number, number?][], trust: Partial<Memory>[] = []) {
  const of = (id: string, said: [string, number, number?][], relation: string, other: string, own = {}) => {
    const voices = said.map(([agent, at, sessions = 1]) => ({ agent, sessions, first: day(at), last: day(at) }))
    const times = { createdAt: day(1), updatedAt: day(1) }
    const links = [{ relation, memory: other }]
    return { id, ...times, links, trust: 'agent', identifiers: {}, metadata: { voices }, ...own } as unknown as Memory
  }
  return [of('A', old, 'contradictedBy', 'B', trust[0]), of('B', young, 'contradicts', 'A', trust[1])] as const
}

const standing = ([a, b]: readonly [Memory, Memory]) => [standsBeside(a, b, NOW), standsBeside(b, a, NOW)]

describe('which of two that contradict each other is shown', () => {
  it('one agent against one is a dispute, and two against one', () => {
    expect(standing(pair([['nori', 29]], [['koji', 29]]))).toEqual(['disputed', 'disputed'])
    expect(
      standing(
        pair(
          [
            ['nori', 29],
            ['miso', 29],
          ],
          [['koji', 29]],
        ),
      ),
    ).toEqual(['disputed', 'disputed'])
  })

  it('three against one are clearly stronger, whoever spoke last', () => {
    const three = [
      ['nori', 29],
      ['miso', 29],
      ['toro', 29],
    ] as [string, number][]
    expect(standing(pair(three, [['koji', 29]]))).toEqual(['holds', 'loses'])
    expect(standing(pair([['koji', 29]], three))).toEqual(['loses', 'holds'])
  })

  it('an agent is one voice, however many sessions repeat it, and counts for what it said last', () => {
    expect(standing(pair([['nori', 29]], [['koji', 29, 40]]))).toEqual(['disputed', 'disputed'])
    expect(standing(pair([['nori', 10]], [['nori', 29]]))).toEqual(['loses', 'holds'])
    expect(standing(pair([['nori', 29]], [['nori', 10]]))).toEqual(['holds', 'loses'])
    // At equal times the contradicting memory counts as newer.
    expect(standing(pair([['nori', 29]], [['nori', 29]]))).toEqual(['loses', 'holds'])
  })

  it('an agent that repeats itself counts for more, and for twice as much at most', () => {
    // Three to two would be undecided.
    const two = [
      ['nori', 29, 6],
      ['miso', 29, 6],
    ] as [string, number, number][]
    expect(standing(pair(two, [['koji', 29]]))).toEqual(['holds', 'loses'])
    expect(standing(pair(two, [['koji', 29, 60]]))).toEqual(['disputed', 'disputed'])
  })

  it('what an operator settled stands, whichever of the two keeps it', () => {
    const [a, b] = pair([['nori', 29]], [['koji', 29]])
    const sound = (memory: Memory) => ({ ...memory, content: memory.id })
    const settled = (memory: Memory, other: string, as: 'replaces' | 'replaced'): Memory => ({
      ...sound(memory),
      metadata: withSettled(memory, { memory: other, words: 'x', as }),
    })
    expect(standing([settled(a, 'B', 'replaces'), settled(b, 'A', 'replaced')])).toEqual(['holds', 'loses'])
    expect(standing([settled(a, 'B', 'replaced'), settled(b, 'A', 'replaces')])).toEqual(['loses', 'holds'])
    expect(standing([settled(a, 'B', 'replaced'), sound(b)])).toEqual(['loses', 'holds'])
    expect(standing([settled(a, 'B', 'replaces'), sound(b)])).toEqual(['holds', 'loses'])
  })

  it('without any voice, and where both or neither claim to be contradicted, the later one holds', () => {
    const [a, b] = pair([], [])
    const at = (memory: Memory, updatedAt: string) => ({ ...memory, updatedAt, links: [] })
    expect(standing([at(a, day(2)), at(b, day(1))])).toEqual(['holds', 'loses'])
    expect(standing([at(a, day(1)), at(b, day(2))])).toEqual(['loses', 'holds'])
    expect(standing([at(a, day(1)), at(b, day(1))])).toEqual(['loses', 'holds'])
  })

  it('what nobody has repeated for long gives way', () => {
    expect(standing(pair([['nori', 12]], [['koji', 29]]))).toEqual(['loses', 'holds'])
  })

  it('what the guard marked speaks more quietly', () => {
    const two = [
      ['nori', 29],
      ['miso', 29],
    ] as [string, number][]
    expect(standing(pair(two, [['koji', 29]], [{}, { trust: 'flagged' }]))).toEqual(['holds', 'loses'])
  })

  it('no number of agents hides an operator’s word, and an operator corrects agents', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 29] as [string, number])
    expect(standing(pair([], many, [{ trust: 'operator' }, {}]))).toEqual(['disputed', 'disputed'])
    expect(standing(pair(many, [], [{}, { trust: 'operator' }]))).toEqual(['loses', 'holds'])
    expect(standing(pair([], [], [{ trust: 'operator' }, { trust: 'operator' }]))).toEqual(['loses', 'holds'])
  })
})

it('a dispute tells who says what, since when', () => {
  const [a, b] = pair(
    [
      ['nori', 20],
      ['miso', 25],
    ],
    [['koji', 29]],
  )
  expect(describeDispute(a, b, 'It takes 90s')).toBe(
    'disputed: 2 agents say this since 2026-03-20; 1 agent says “It takes 90s” since 2026-03-29',
  )
  const [word, other] = pair([], [['koji', 29]], [{ trust: 'operator' }, {}])
  expect(describeDispute(other, word, 'Needs a ticket')).toBe(
    'disputed: 1 agent says this since 2026-03-29; an operator says “Needs a ticket” since 2026-03-01',
  )
})

describe('voices', () => {
  it('begin with whoever wrote it, and count each agent once', () => {
    const [a] = pair([], [])
    const written = { ...a, metadata: { note: 1 }, identifiers: { agentId: 'nori' } } as Memory
    expect(voicesOf(written)).toEqual([{ agent: 'nori', sessions: 1, first: day(1), last: day(1) }])
    const again = { ...written, metadata: withVoice(written, 'nori', day(5)) }
    const both = withVoice(again, null, day(6))
    expect(both).toEqual({
      note: 1,
      voices: [
        { agent: 'nori', sessions: 2, first: day(1), last: day(5) },
        { agent: null, sessions: 1, first: day(6), last: day(6) },
      ],
    })
    expect(withoutBelief(both)).toEqual({ note: 1 })
  })

  it('are the last twenty, however many speak', () => {
    let memory = makeMemory()
    for (let i = 0; i < 25; i++) memory = { ...memory, metadata: withVoice(memory, `agent-${i}`, memory.createdAt) }
    const agents = voicesOf(memory).map(({ agent }) => agent)
    expect(agents).toEqual(Array.from({ length: 20 }, (_, i) => `agent-${i + 5}`))
  })

  it('are not read from what somebody else wrote there', () => {
    const [a] = pair([], [])
    const sound = { agent: 'nori', sessions: 1, first: day(1), last: day(2) }
    const broken = [{ agent: 7 }, { sessions: '1' }, { first: 1 }, { last: 'never' }, { last: undefined }].map(
      (own) => ({
        ...sound,
        ...own,
      }),
    )
    expect(voicesOf({ ...a, metadata: { voices: [sound] } } as unknown as Memory)).toEqual([sound])
    expect(voicesOf({ ...a, metadata: { voices: [...broken, null, 'x'] } } as unknown as Memory)).toEqual([])
  })
})
