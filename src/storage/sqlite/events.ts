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

/** Newest first. An older tool's events may stand in the same table; they are not ours to read. */
export function listEvents(connection: Connection, limit: number): WorkflowRecord[] {
  return connection.map(
    (row: EventRow) => ({ ...row, identifiers: JSON.parse(row.identifiers), data: JSON.parse(row.data) }),
    `SELECT e.at, e.type, e.identifiers, e.data, (SELECT coalesce(s.key, CAST(s.id AS TEXT)) FROM sessions s WHERE s.id = e.session_id) AS session
       FROM events e WHERE e.type IS NOT NULL ORDER BY e.id DESC LIMIT ?`,
    limit,
  )
}
