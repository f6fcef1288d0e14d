import type { PruneReport, PruneTimes } from '../upkeep.ts'
import type { Queries, SqlClient } from './client.ts'

/** Locked, so that a commit to one of these sessions waits. A null time selects nothing. */
const OLD_SESSIONS = 'SELECT id, key FROM sessions WHERE started_at < $1::text ORDER BY id FOR UPDATE'
const OF_OLD = (time: string) => `(at < ${time}::text OR session = ANY ($2::text[]))`
const EVENTS = `FROM events WHERE ${OF_OLD('$1')}`
const SHOWINGS = `FROM injections WHERE ${OF_OLD('$1')}`

export async function prune(client: SqlClient, before: PruneTimes, dryRun: boolean): Promise<PruneReport> {
  return client.transaction(async (queries) => {
    const old = await queries.query<{ id: string; key: string }>(OLD_SESSIONS, [before.sessions])
    const keys = old.map(({ key }) => key)
    const count = async (sql: string, at: string | null) =>
      (await queries.query<{ n: number }>(`SELECT count(*)::int AS n ${sql}`, [at, keys]))[0]!.n
    const report = {
      sessions: old.length,
      events: await count(EVENTS, before.events),
      showings: await count(SHOWINGS, before.showings),
    }
    if (dryRun) return report
    await queries.query(`DELETE ${EVENTS}`, [before.events, keys])
    await queries.query(`DELETE ${SHOWINGS}`, [before.showings, keys])
    await removeSessions(queries, keys)
    return report
  })
}

/** Memories refer to their session, so its name stays. Everything else about it is removed. */
async function removeSessions(queries: Queries, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await queries.query(
    `UPDATE sessions s SET agent = NULL, project = NULL, tier = NULL, role = NULL, started_at = NULL, ended_at = NULL,
       exit_code = NULL, outcome = NULL
     WHERE key = ANY ($1::text[]) AND EXISTS (SELECT 1 FROM memories m WHERE m.session_id = s.id)`,
    [keys],
  )
  await queries.query('DELETE FROM sessions WHERE key = ANY ($1::text[]) AND started_at IS NOT NULL', [keys])
  await queries.query(
    `INSERT INTO counts (what, key, shard, n) VALUES ('sessions', 0, 0, $1::int)
     ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + EXCLUDED.n`,
    [-keys.length],
  )
}
