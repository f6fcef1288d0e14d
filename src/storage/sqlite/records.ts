import type { Page } from '../../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from '../record-query.ts'
import type { MemoryRow } from '../sql/memory-columns.ts'
import { behind, type Order, sortedBy, toPage } from '../sql/orders.ts'
import {
  eventConditions,
  eventOrder,
  injectionOrder,
  type RecordTable,
  selectPage,
  sessionConditions,
  sessionOrder,
} from '../sql/records.ts'
import { join, raw, sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import { listed, SQLITE } from './dialect.ts'
import { TIME } from './migrations/views.ts'
import { readJson, SELECT_MEMORY, toMemory } from './row.ts'

/** Other tools write to the same table, with their own time formats and tiers. */
export const SELECT_SESSION = `coalesce(s.key, CAST(s.id AS TEXT)) AS id, s.agent, s.project,
  CASE WHEN s.tier IN (0, 1, 2, 3) THEN s.tier END AS tier, s.role, s.begun_at AS startedAt, ${TIME('s.ended_at')} AS endedAt,
  s.exit_code AS exitCode, s.outcome`

const SESSIONS: RecordTable = {
  select: SELECT_SESSION,
  from: 'sessions s',
  where: 's.begun_at IS NOT NULL',
  order: sessionOrder('s.begun_at'),
}
/** An older tool may have events in the same table, without a type or key; those are skipped. */
const EVENTS: RecordTable = {
  select:
    'e.key AS id, e.at, e.type, (SELECT s.key FROM sessions s WHERE s.id = e.session_id) AS session, e.identifiers, e.data',
  from: 'events e',
  where: 'e.type IS NOT NULL AND e.key IS NOT NULL',
  order: eventOrder('e.key'),
}
const INJECTIONS: RecordTable = {
  select: 'i.key AS id, s.key AS session, i.memory, i.position, i.tokens, i.format, i.at',
  from: 'injections i JOIN sessions s ON s.id = i.session_id',
  where: '1',
  order: injectionOrder('i.key'),
}
const OF_SESSION = (column: string, session: string) =>
  sql`${raw(column)} = (SELECT id FROM sessions WHERE key = ${session})`

/** A single session comes sorted from the index. */
const ofSessions = (session: string | readonly string[]) =>
  typeof session === 'string'
    ? OF_SESSION('i.session_id', session)
    : sql`i.session_id IN (SELECT id FROM sessions WHERE key IN ${listed(session)})`

export function listSessions(connection: Connection, { any, ...page }: SessionQuery): Page<Session> {
  const rows = connection.all<Session>(selectPage(SESSIONS, sessionConditions(SQLITE, any), page))
  return toPage(SESSIONS.order, rows, page.limit, (row) => ({ ...row }))
}

export function listEvents(connection: Connection, { any, ...page }: EventQuery): Page<WorkflowEvent> {
  const conditions = eventConditions(any, (session) => OF_SESSION('e.session_id', session))
  const rows = connection.all<Record<keyof WorkflowEvent, string>>(selectPage(EVENTS, conditions, page))
  const toEvent = (row: (typeof rows)[number]) =>
    ({ ...row, identifiers: readJson(row.identifiers), data: readJson(row.data) }) as WorkflowEvent
  return toPage(EVENTS.order, rows, page.limit, toEvent)
}

export function listInjections(connection: Connection, { session, memory, ...page }: InjectionQuery): Page<Injection> {
  const conditions = [
    ...(session === null ? [] : [ofSessions(session)]),
    ...(memory === null ? [] : [sql`i.memory = ${memory}`]),
  ]
  const any = conditions.length === 0 ? null : [join(conditions, ' AND ')]
  const rows = connection.all<Injection>(selectPage(INJECTIONS, any, page))
  return toPage(INJECTIONS.order, rows, page.limit, (row) => ({ ...row }))
}

interface ChangeRow extends Omit<Change, 'after'> {
  seq: number
  after: string | null
  recall_count: number
  last_recalled_at: string | null
}

const byNumber = (name: string, column: string): Order => ({
  name,
  columns: [{ sql: column, key: column, type: 'number' }],
  direction: 'ASC',
})
const WHOLE = byNumber('changes', 'seq')
const HISTORY = byNumber('history', 'version')

/** By version for one memory, in the order written for several or the whole store. */
export function listChanges(connection: Connection, { memory, after, limit }: ChangeQuery): Page<Change> {
  const order = typeof memory === 'string' ? HISTORY : WHOLE
  const own =
    memory === null ? raw('1') : typeof memory === 'string' ? sql`memory = ${memory}` : SQLITE.among('memory', memory)
  const rows = connection.all<ChangeRow>(
    sql`SELECT seq, memory, version, operation, at, by, after, recall_count, last_recalled_at FROM changes
      WHERE ${own}${behind(order, after)} ORDER BY ${sortedBy(order)} LIMIT ${limit + 1}`,
  )
  const current = readCurrent(
    connection,
    rows.slice(0, limit).filter((row) => row.after === null && row.operation !== 'delete'),
  )
  return connection.guard(() => toPage(order, rows, limit, (row) => toChange(row, current.get(row.memory))))
}

/** The memories whose latest change is in this list: their current state is the state after that change. */
function readCurrent(connection: Connection, rows: readonly ChangeRow[]): Map<unknown, MemoryRow> {
  if (rows.length === 0) return new Map()
  const ids = listed(rows.map((row) => row.memory))
  const memories = connection.all<MemoryRow>(sql`SELECT ${SELECT_MEMORY} FROM memories m WHERE m.ulid IN ${ids}`)
  return new Map(memories.map((memory) => [memory.ulid, memory]))
}

function toChange(row: ChangeRow, current: MemoryRow | undefined): Change {
  const { memory, version, operation, at, by } = row
  return { memory, version, operation, at, by, after: operation === 'delete' ? null : stateAfter(row, current) }
}

/** The state after the change, without later recalls. */
function stateAfter(row: ChangeRow, current: MemoryRow | undefined) {
  const { memory, version, after, recall_count, last_recalled_at } = row
  if (after !== null) return toMemory(JSON.parse(after) as Partial<MemoryRow>)
  if (current?.version !== version) throw new RangeError(`the state of ${memory} at version ${version} is lost`)
  return toMemory({ ...current, recall_count, last_recalled_at })
}
