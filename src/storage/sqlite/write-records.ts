import type { Session } from '../../model/records.ts'
import type { Decision, Known, KnownSession } from '../decide.ts'
import { putDocument, removeDocument } from '../sql/documents.ts'
import type { Connection } from './connection.ts'

/** The row of a session by its id, created when a record first names it. */
export function sessionKey(connection: Connection, id: string | null): number | null {
  if (id === null) return null
  const row = connection.get<{ id: number }>('SELECT id FROM sessions WHERE key = ?', id)
  return row?.id ?? connection.run('INSERT INTO sessions (key) VALUES (?)', id).id
}

/** Writes everything in a decision except memories and their history. The caller holds the transaction. */
export function writeRecords(connection: Connection, decision: Decision, { sessions }: Known): void {
  for (const [key, memory] of decision.once) {
    connection.run('INSERT INTO once_keys (key, memory) VALUES (?, ?)', key, memory)
  }
  for (const session of decision.sessions.values()) writeSession(connection, session, sessions.get(session.id))
  for (const { id, session, memory, position, tokens, format, at } of decision.injections) {
    connection.run(
      `INSERT INTO injections (key, session_id, memory, position, tokens, format, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[id, sessionKey(connection, session), memory, position, tokens, format, at],
    )
  }
  for (const { id, at, type, session, identifiers, data } of decision.events) {
    connection.run(
      `INSERT INTO events (key, at, type, session_id, identifiers, data) VALUES (?, ?, ?, ?, ?, ?)`,
      ...[id, at, type, sessionKey(connection, session), JSON.stringify(identifiers), JSON.stringify(data)],
    )
  }
  for (const write of decision.documents) {
    const { collection } = write
    connection.run(
      write.kind === 'put' ? putDocument(collection, write.document) : removeDocument(collection, write.key),
    )
  }
}

const COLUMNS: Record<Exclude<keyof Session, 'id'>, readonly string[]> = {
  agent: ['agent'],
  project: ['project'],
  tier: ['tier'],
  role: ['role'],
  startedAt: ['begun_at', 'started_at'],
  endedAt: ['ended_at'],
  exitCode: ['exit_code'],
  outcome: ['outcome'],
}

/** Writes only what changed: other columns may be another tool's, in its own format. */
function writeSession(connection: Connection, session: Session, known: KnownSession | undefined): void {
  const fields = Object.entries(COLUMNS) as [keyof typeof COLUMNS, readonly string[]][]
  const changed = fields.filter(([field]) => session[field] !== (known?.[field] ?? null))
  const columns = changed.flatMap(([, names]) => names.map((name) => `${name} = ?`))
  const values = changed.flatMap(([field, names]) => names.map(() => session[field]))
  const id = sessionKey(connection, session.id)
  connection.run(`UPDATE sessions SET ${columns.join(', ')} WHERE id = ?`, ...values, id)
}
