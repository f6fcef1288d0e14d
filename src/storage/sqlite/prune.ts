import type { PruneReport, PruneTimes } from '../upkeep.ts'
import type { Connection } from './connection.ts'

/** Sessions of other tools have their row's number as key; their own tables may refer to them, so they stay. */
const OLD_SESSIONS = `SELECT id FROM sessions WHERE begun_at < ? AND key <> CAST(id AS TEXT)`
const IS_OLD = 'session_id IN (SELECT id FROM temp.old_sessions)'

/** The caller holds the write transaction. A null time compares as unknown, so it selects nothing. */
export function prune(connection: Connection, before: PruneTimes, dryRun: boolean): PruneReport {
  connection.exec(
    'CREATE TEMP TABLE IF NOT EXISTS old_sessions (id INTEGER PRIMARY KEY); DELETE FROM temp.old_sessions',
  )
  connection.run(`INSERT INTO temp.old_sessions ${OLD_SESSIONS}`, before.sessions)
  const count = (sql: string, ...values: (string | null)[]) =>
    connection.get<{ n: number }>(`SELECT count(*) AS n ${sql}`, ...values)!.n
  const events = `FROM events WHERE type IS NOT NULL AND key IS NOT NULL AND (at < ? OR ${IS_OLD})`
  const showings = `FROM injections WHERE at < ? OR ${IS_OLD}`
  const report = {
    sessions: count('FROM temp.old_sessions'),
    events: count(events, before.events),
    showings: count(showings, before.showings),
  }
  if (dryRun) return report
  connection.run(`DELETE ${events}`, before.events)
  connection.run(`DELETE ${showings}`, before.showings)
  // Memories refer to their session, so its name stays. Everything else about it is removed.
  const named = `id IN (SELECT id FROM temp.old_sessions WHERE id IN (SELECT session_id FROM memories))`
  connection.run(
    `UPDATE settings SET value = value - (SELECT count(*) FROM sessions WHERE ${named}) WHERE name = 'sessions'`,
  )
  connection.run(
    `UPDATE sessions SET agent = NULL, project = NULL, tier = NULL, role = NULL, started_at = NULL, begun_at = NULL,
       ended_at = NULL, exit_code = NULL, outcome = NULL WHERE ${named}`,
  )
  connection.run('DELETE FROM sessions WHERE id IN (SELECT id FROM temp.old_sessions) AND begun_at IS NOT NULL')
  return report
}
