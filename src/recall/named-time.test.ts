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
  ['on 8 May, 2023', '2023-05-09T10:00:00Z', '2024-05-08T10:00:00Z'],
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

/** The first instant of a time range, and the first instant after it. */
it.each([
  ['today', '2026-06-17', '2026-06-18'],
  ['yesterday', '2026-06-16', '2026-06-17'],
  ['this week', '2026-06-15', '2026-06-22'],
  ['last week', '2026-06-08', '2026-06-15'],
  ['this month', '2026-06-01', '2026-07-01'],
  ['last month', '2026-05-01', '2026-06-01'],
  ['this year', '2026-01-01', '2027-01-01'],
  ['last year', '2025-01-01', '2026-01-01'],
  // Half a unit in either direction, including the day itself.
  ['a day ago', '2026-06-16', '2026-06-18'],
  ['2 days ago', '2026-06-15', '2026-06-17'],
  ['one week ago', '2026-06-07', '2026-06-15'],
  ['two weeks ago', '2026-05-31', '2026-06-08'],
  ['A few weeks ago', '2026-05-24', '2026-06-01'],
  ['4 weeks ago', '2026-05-17', '2026-05-25'],
  ['a month ago', '2026-05-04', '2026-06-03'],
  ['a year ago', '2024-12-17', '2025-12-18'],
  ['in the last 10 days', '2026-06-07', '2026-06-18'],
  ['past 2 weeks', '2026-06-03', '2026-06-18'],
  // One day, up to the next.
  ['2023-05-08', '2023-05-08', '2023-05-10'],
  ['on 8 May, 2023', '2023-05-08', '2023-05-10'],
  ['May 31, 2023', '2023-05-31', '2023-06-02'],
  ['on 8. mai', '2019-05-08', '2019-05-10'],
  ['12月30日', '2019-12-30', '2020-01-01'],
  ['1 January', '2020-01-01', '2020-01-03'],
  ['in December', '2019-12-01', '2020-01-01'],
  ['en enero', '2019-01-01', '2019-02-01'],
  ['3月', '2019-03-01', '2019-04-01'],
  ['December 2023', '2023-12-01', '2024-01-01'],
  ['2026年', '2026-01-01', '2027-01-01'],
  ['2026年12月', '2026-12-01', '2027-01-01'],
  ['in 1999', '1999-01-01', '2000-01-01'],
])('%s is from %s until before %s', (query, from, until) => {
  const [first, end] = [from, until].map((day) => Date.parse(`${day}T00:00:00Z`)) as [number, number]
  const named = namedTimes(query, NOW)
  expect(named).toHaveLength(1)
  expect([first - 1, first, end - 1, end].map((time) => named[0]!.holds(time))).toEqual([false, true, true, false])
})

it('a week begins on Monday, on a Sunday as on a Monday', () => {
  const thisWeek = (now: string, time: string) =>
    namedTimes('this week', new Date(`${now}T12:00:00Z`))[0]!.holds(Date.parse(`${time}T00:00:00Z`))
  expect(thisWeek('2026-06-21', '2026-06-15')).toBe(true)
  expect(thisWeek('2026-06-22', '2026-06-22')).toBe(true)
  expect(thisWeek('2026-06-22', '2026-06-21')).toBe(false)
})

it.each(['13月', '0月', '5月32日', '32 May 2020', 'May 32', '2026年13月'])('there is no %s', (query) => {
  expect(namedTimes(query, NOW)).toEqual([])
})

it('names each of several times, with its words', () => {
  const named = namedTimes('between yesterday and 3 days ago, or in 2022', NOW)
  expect(named.map(({ text }) => text)).toEqual(['yesterday', '3 days ago', 'in 2022'])
})
