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

export function listEvents(connection: Connection, limit: number): WorkflowRecord[] {
  return connection
    .all<{ at: string; type: string; session: string | null; identifiers: string; data: string }>(
      `SELECT e.at, e.type, e.identifiers, e.data, (SELECT coalesce(s.key, CAST(s.id AS TEXT)) FROM sessions s WHERE s.id = e.session_id) AS session
       FROM events e ORDER BY e.id DESC LIMIT ?`,
      limit,
    )
    .map((row) => ({ ...row, identifiers: JSON.parse(row.identifiers), data: JSON.parse(row.data) }))
}
