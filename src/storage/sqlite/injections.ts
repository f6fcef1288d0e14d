import type { Injection, InjectionRecord } from '../storage.ts'
import type { Connection } from './connection.ts'
import { sessionKey } from './sessions.ts'

const INSERT = 'INSERT INTO injections (session_id, memory, position, tokens, format, at) VALUES (?, ?, ?, ?, ?, ?)'

/** The ledger and the counters move together; the caller holds the transaction. */
export function recordInjection(connection: Connection, { session, format, at, entries }: InjectionRecord): void {
  const sessionId = sessionKey(connection, session, at)
  for (const { memory, position, tokens } of entries) {
    connection.run(INSERT, sessionId, memory, position, tokens, format, at)
    connection.run(
      'UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = ? WHERE ulid = ?',
      at,
      memory,
    )
  }
}

/** Without counting: the counters came with the memories. The caller holds the transaction. */
export function putInjections(connection: Connection, injections: readonly Injection[]): number {
  // Two showings of one instant may be alike: as many are kept as there were.
  const missing = new Map<string, number>()
  let added = 0
  for (const injection of injections) {
    const { session, memory, position, tokens, format, at } = injection
    const values = [sessionKey(connection, session, at), memory, position, tokens, format, at]
    const key = JSON.stringify(values)
    const known = missing.get(key) ?? -count(connection, values)
    missing.set(key, known + 1)
    if (known < 0) continue
    connection.run(INSERT, ...values)
    added++
  }
  return added
}

function count(connection: Connection, values: readonly (string | number | null)[]): number {
  return connection.get<{ n: number }>(
    `SELECT count(*) AS n FROM injections WHERE session_id = ? AND memory = ? AND position = ? AND tokens = ? AND format = ? AND at = ?`,
    ...values,
  )!.n
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
