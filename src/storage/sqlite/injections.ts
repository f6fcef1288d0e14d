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

/** Without counting: the counters came with the memories. The caller holds the transaction. */
export function putInjections(connection: Connection, injections: readonly Injection[]): number {
  let added = 0
  for (const { session, memory, position, tokens, format, at } of injections) {
    const sessionId = sessionKey(connection, session, at)
    added += connection.run(
      `INSERT INTO injections (session_id, memory, position, tokens, format, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE NOT EXISTS (SELECT 1 FROM injections WHERE session_id = ?1 AND position = ?3 AND memory = ?2 AND at = ?6
         AND tokens = ?4 AND format = ?5)`,
      sessionId,
      memory,
      position,
      tokens,
      format,
      at,
    ).changes
  }
  return added
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
