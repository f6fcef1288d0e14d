import type { WorkflowRecord } from '../storage.ts'
import type { Connection } from './connection.ts'
import { sessionKey } from './sessions.ts'

/** The caller holds the transaction. */
export function addEvent(connection: Connection, { at, type, session, identifiers, data }: WorkflowRecord): void {
  connection.run(
    'INSERT INTO events (at, type, session_id, identifiers, data) VALUES (?, ?, ?, ?, ?)',
    at,
    type,
    sessionKey(connection, session, at),
    JSON.stringify(identifiers),
    JSON.stringify(data),
  )
}

interface EventRow {
  at: string
  type: string
  session: string | null
  identifiers: string
  data: string
}

function toEvent({ at, type, session, identifiers, data }: EventRow): WorkflowRecord {
  return { at, type, session, identifiers: JSON.parse(identifiers), data: JSON.parse(data) }
}

/** An older tool's events may stand in the same table; they are not ours to read. */
const SELECT = `SELECT e.id, e.at, e.type, e.identifiers, e.data,
    (SELECT coalesce(s.key, CAST(s.id AS TEXT)) FROM sessions s WHERE s.id = e.session_id) AS session
  FROM events e WHERE e.type IS NOT NULL`

/** Newest first. */
export function listEvents(connection: Connection, limit: number): WorkflowRecord[] {
  return connection.map(toEvent, `${SELECT} ORDER BY e.id DESC LIMIT ?`, limit)
}

export function listAllEvents(
  connection: Connection,
  after: number | null,
  limit: number,
): { events: WorkflowRecord[]; position: number | null } {
  const rows = connection.map(
    (row: EventRow & { id: number }) => ({ id: row.id, event: toEvent(row) }),
    `${SELECT} AND e.id > ? ORDER BY e.id LIMIT ?`,
    after ?? 0,
    limit,
  )
  return { events: rows.map((row) => row.event), position: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}

/** The caller holds the transaction. */
export function putEvents(connection: Connection, events: readonly WorkflowRecord[]): number {
  const known = `SELECT 1 FROM events WHERE at = ? AND type = ? AND session_id IS ? AND identifiers = ? AND data = ?`
  const fresh = events.filter((event) => {
    const { at, type, session, identifiers, data } = event
    const sessionId = sessionKey(connection, session, at)
    if (connection.get(known, at, type, sessionId, JSON.stringify(identifiers), JSON.stringify(data))) return false
    addEvent(connection, event)
    return true
  })
  return fresh.length
}
