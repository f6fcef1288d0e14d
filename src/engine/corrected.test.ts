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
