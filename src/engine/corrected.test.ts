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
