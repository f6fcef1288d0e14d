import type { Page } from '../../model/page.ts'
import type { WorkflowEvent } from '../../model/records.ts'
import type { EventQuery, EventSelector } from '../record-query.ts'
import type { Connection } from './connection.ts'
import { decodePosition, encodePosition, toPage } from './position.ts'
import type { SqlCondition } from './scopes.ts'
import { sessionKey } from './sessions.ts'

/** The caller holds the transaction. */
export function putEvent(connection: Connection, { id, at, type, session, identifiers, data }: WorkflowEvent): boolean {
  const added = connection.run(
    `INSERT INTO events (key, at, type, session_id, identifiers, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    id,
    at,
    type,
    sessionKey(connection, session),
    JSON.stringify(identifiers),
    JSON.stringify(data),
  )
  return added.changes > 0
}

interface EventRow {
  key: string
  at: string
  type: string
  session: string | null
  identifiers: string
  data: string
}

function toEvent({ key, at, type, session, identifiers, data }: EventRow): WorkflowEvent {
  return { id: key, at, type, session, identifiers: JSON.parse(identifiers), data: JSON.parse(data) }
}

/** An older tool's events may stand in the same table, without a type or key; they are not ours to read. */
const SELECT = `SELECT e.key, e.at, e.type, e.identifiers, e.data, (SELECT s.key FROM sessions s WHERE s.id = e.session_id) AS session
  FROM events e WHERE e.type IS NOT NULL AND e.key IS NOT NULL`

export function listEvents(connection: Connection, { any, after, limit }: EventQuery): Page<WorkflowEvent> {
  const position = decodePosition('events', ['string', 'string'], after)
  const behind = position ? ' AND (e.at, e.key) < (?, ?)' : ''
  const select = (condition: SqlCondition) =>
    connection.all<EventRow>(
      `${SELECT}${condition.sql}${behind} ORDER BY e.at DESC, e.key DESC LIMIT ?`,
      ...condition.values,
      ...(position ?? []),
      limit + 1,
    )
  const found =
    any === null ? select({ sql: '', values: [] }) : any.flatMap((selector) => select(conditionOf(selector)))
  const rows = [...new Map(found.map((row) => [row.key, row])).values()].sort(newestFirst).slice(0, limit + 1)
  return toPage(rows, limit, toEvent, (row) => encodePosition('events', [row.at, row.key]))
}

function conditionOf(selector: EventSelector): SqlCondition {
  if ('session' in selector)
    return { sql: ' AND e.session_id = (SELECT id FROM sessions WHERE key = ?)', values: [selector.session] }
  return { sql: ` AND e.identifiers ->> 'projectId' = ?`, values: [selector.project] }
}

function newestFirst(a: EventRow, b: EventRow): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1
  return a.key < b.key ? 1 : -1
}
