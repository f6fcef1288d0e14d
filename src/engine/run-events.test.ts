import { expect, it } from 'vitest'
import type { Outcome } from '../model/outcome.ts'
import type { WorkflowEvent } from '../model/records.ts'
import type { Write } from '../storage/commit.ts'
import { sessionEvents, showingEvent } from './run-events.ts'

const AT = new Date('2026-03-01T00:00:00.000Z')
const SHOP = { projectId: 'shop' }
const eventsOf = (writes: readonly Write[]) =>
  writes.map((write) => (write as unknown as { event: WorkflowEvent }).event)
const refused = (reason: string) => ({ kind: 'refuse', reason, content: 'x'.repeat(301) }) as unknown as Outcome
const duplicate = { kind: 'duplicate', reason: 'said “before”', content: 'said', memory: null } as unknown as Outcome

it('what became of what a session said is told short, without what is quoted', () => {
  const [event] = eventsOf(sessionEvents('s', SHOP, AT, [refused('no “secret words” here'), duplicate]))
  const outcomes = [
    { kind: 'refuse', reason: 'no “…” here', memory: null, content: `${'x'.repeat(300)}…` },
    { kind: 'duplicate', reason: 'said “…”', memory: null },
  ]
  expect(event).toMatchObject({ type: 'capture', session: 's', identifiers: SHOP, at: AT.toISOString() })
  expect(event!.data).toEqual({ outcomes, refusals: [] })
  const many = Array.from({ length: 101 }, () => refused('no'))
  expect(eventsOf(sessionEvents('s', SHOP, AT, many))[0]!.data.outcomes).toHaveLength(100)
})

it('nothing is told without a session, or of what was only said again; refusals are', () => {
  expect(sessionEvents(undefined, SHOP, AT, [refused('no')])).toEqual([])
  expect(sessionEvents('s', SHOP, AT, [duplicate])).toEqual([])
  const refusals = [{ reason: 'unknown category', excerpt: 'y'.repeat(301) }]
  expect(eventsOf(sessionEvents('s', SHOP, AT, [duplicate], refusals as never))).toMatchObject([
    { data: { outcomes: [], refusals: [{ reason: 'unknown category', excerpt: `${'y'.repeat(300)}…` }] } },
  ])
})

it('a showing names what was left out, a hundred at most, and has one id', () => {
  const omitted = Array.from({ length: 101 }, (_, i) => ({ memory: `m${i}`, reason: 'r'.repeat(301) }))
  const tell = (format: string) => eventsOf(showingEvent('s', SHOP, AT, { format, shown: 2, omitted }))[0]!
  const { data, id } = tell('query')
  expect(data).toMatchObject({ format: 'query', shown: 2, omittedCount: 101 })
  expect(data.omitted).toHaveLength(100)
  expect((data.omitted as { reason: string }[])[0]!.reason).toBe(`${'r'.repeat(300)}…`)
  expect([tell('query').id, tell('operational').id === id]).toEqual([id, false])
  expect(showingEvent('s', SHOP, AT, { format: 'query', shown: 2, omitted: [] })).toEqual([])
})
