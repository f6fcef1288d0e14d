import type { Injection, InjectionRecord } from '../storage.ts'
import type { Connection } from './connection.ts'
import { sessionKey } from './sessions.ts'

/** The ledger and the counters move together; the caller holds the transaction. */
export function recordInjection(connection: Connection, { session, format, at, entries }: InjectionRecord): void {
  const sessionId = sessionKey(connection, session, at)
  for (const { memory, position, tokens } of entries) {
    connection.run(
      'INSERT INTO injections (session_id, memory, position, tokens, format, at) VALUES (?, ?, ?, ?, ?, ?)',
      sessionId,
      memory,
      position,
      tokens,
      format,
      at,
    )
    connection.run(
      'UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = ? WHERE ulid = ?',
      at,
      memory,
    )
  }
}

export function listInjections(connection: Connection, session: string): Injection[] {
  return connection
    .all<Omit<Injection, 'session'>>(
      `SELECT memory, position, tokens, format, at FROM injections
       WHERE session_id = (SELECT id FROM sessions WHERE coalesce(key, CAST(id AS TEXT)) = ?) ORDER BY id`,
      session,
    )
    .map((row) => ({ session, ...row }))
}
