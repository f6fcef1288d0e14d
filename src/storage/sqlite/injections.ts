import type { Page } from '../../model/page.ts'
import type { Injection } from '../../model/records.ts'
import type { InjectionQuery } from '../record-query.ts'
import type { Connection } from './connection.ts'
import { decodePosition, encodePosition, toPage } from './position.ts'
import { sessionKey } from './sessions.ts'

/** The ledger and the counters move together; the caller holds the transaction. */
export function putInjection(connection: Connection, injection: Injection, recall: boolean): boolean {
  const { id, session, memory, position, tokens, format, at } = injection
  const added = connection.run(
    `INSERT INTO injections (key, session_id, memory, position, tokens, format, at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO NOTHING`,
    id,
    sessionKey(connection, session),
    memory,
    position,
    tokens,
    format,
    at,
  )
  if (added.changes > 0 && recall) {
    const count =
      "UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = max(coalesce(last_recalled_at, ''), ?) WHERE ulid = ?"
    connection.run(count, at, memory)
  }
  return added.changes > 0
}

export function listInjections(
  connection: Connection,
  { session, memory, after, limit }: InjectionQuery,
): Page<Injection> {
  const behind = decodePosition('injections', ['string', 'number', 'string'], after)
  const conditions = [
    ...(session === null ? [] : ['i.session_id = (SELECT id FROM sessions WHERE key = ?)']),
    ...(memory === null ? [] : ['i.memory = ?']),
    ...(behind ? ['(i.at, i.position, i.key) > (?, ?, ?)'] : []),
  ]
  const rows = connection.all<Injection>(
    `SELECT i.key AS id, s.key AS session, i.memory, i.position, i.tokens, i.format, i.at
     FROM injections i JOIN sessions s ON s.id = i.session_id ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
     ORDER BY i.at, i.position, i.key LIMIT ?`,
    ...[session, memory].filter((value) => value !== null),
    ...(behind ?? []),
    limit + 1,
  )
  return toPage(
    rows,
    limit,
    (row): Injection => ({ ...row }),
    ({ at, position, id }) => encodePosition('injections', [at, position, id]),
  )
}
