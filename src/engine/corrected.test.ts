import { expect, it } from 'vitest'
import type { Memory } from '../model/memory.ts'
import { leaveOutCorrected } from './corrected.ts'

const NOW = new Date('2026-01-03T00:00:00.000Z')

const memory = (id: string, updatedAt: string, contradictedBy: string) =>
  ({
    id,
    content: id,
    updatedAt,
    trust: 'operator',
    version: 1,
    createdAt: updatedAt,
    identifiers: {},
    metadata: {},
    links: [{ relation: 'contradictedBy', memory: contradictedBy }],
  }) as unknown as Memory

it('of two that correct each other the one that was said last is kept', () => {
  const old = memory('A', '2026-01-01T00:00:00.000Z', 'B')
  const young = memory('B', '2026-01-02T00:00:00.000Z', 'A')
  expect(leaveOutCorrected([old, young], NOW)).toEqual({
    kept: [young],
    corrected: [{ id: 'A', by: 'B' }],
    repeated: [],
    disputed: new Map(),
  })
  expect(leaveOutCorrected([old], NOW).kept).toEqual([old])
})

it('a correction of one part of a note leaves the note to be seen, unless it quotes it', () => {
  const note = { ...memory('A', '2026-01-01T00:00:00.000Z', 'B'), content: 'Jobs come from Redis and results go to S3' }
  const part = { ...memory('B', '2026-01-02T00:00:00.000Z', 'C'), content: 'Results go to Postgres, never to S3' }
  const { kept, disputed } = leaveOutCorrected([note, part], NOW)
  expect([kept.length, [...disputed.keys()]]).toEqual([2, ['A']])
  const whole = { ...part, metadata: { was: note.content } }
  expect(leaveOutCorrected([note, whole], NOW).kept).toEqual([whole])
})

it('an operator’s word stands for what says the same, and counts against whoever says otherwise', () => {
  const said = (id: string, relation: 'contradictedBy' | 'confirms', other: string, more: Partial<Memory> = {}) => ({
    ...memory(id, `2026-01-0${id.charCodeAt(0) - 64}T00:00:00.000Z`, other),
    links: [{ relation, memory: other }],
    trust: 'agent' as const,
    confidence: 0.9,
    ...more,
  })
  const drops = said('A', 'contradictedBy', 'B')
  const keeps = said('B', 'confirms', 'C')
  const word = said('C', 'confirms', 'B', { trust: 'operator', confidence: 0.7 })
  expect(leaveOutCorrected([drops, keeps, word], NOW)).toEqual({
    kept: [word],
    corrected: [{ id: 'A', by: 'C' }],
    repeated: [{ id: 'B', by: 'C' }],
    disputed: new Map(),
  })
  expect(leaveOutCorrected([keeps], NOW, [drops, keeps, word])).toMatchObject({ kept: [keeps], disputed: new Map() })
})

it('agents who say the same in other categories count, each of them once', () => {
  const at = '2026-01-02T00:00:00.000Z'
  const said = (id: string, agentId: string, links: Memory['links'], trust: Memory['trust'] = 'agent') =>
    ({ ...memory(id, at, ''), identifiers: { agentId }, confidence: 0.7, trust, links }) as Memory
  const confirms = (...ids: string[]) => ids.map((other) => ({ relation: 'confirms' as const, memory: other }))
  const lie = said('L', 'liar', [])
  const against = { relation: 'contradictedBy' as const, memory: 'L' }
  const truth = (third: string, trust: Memory['trust'] = 'agent') => [
    said('A', 'ann', [against]),
    said('B', 'bob', [against, ...confirms('A')], trust),
    said('C', third, [against, ...confirms('A', 'B')]),
  ]
  const shown = (all: readonly Memory[]) => leaveOutCorrected(all, NOW).kept.map(({ id }) => id)
  expect(shown([lie, ...truth('cyd')])).toEqual(['A'])
  const { kept, disputed } = leaveOutCorrected([lie, ...truth('ann')], NOW)
  expect(kept.map(({ id }) => id)).toEqual(['L', 'A'])
  expect(disputed.get('A')).toContain('2 agents say this since 2026-01-02; 1 agent says “L”')
  expect(shown([lie, ...truth('cyd', 'flagged')])).toEqual(['L', 'A'])
})
