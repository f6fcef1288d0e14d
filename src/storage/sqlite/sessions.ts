import type { Session } from '../../model/records.ts'
import type { Connection } from './connection.ts'
import { type SessionRow, toSession } from './row.ts'

const KEY = 'coalesce(key, CAST(id AS TEXT))'
const SELECT = `SELECT ${KEY} AS key, agent, project, tier, role, coalesce(started_at, '') AS started_at, ended_at, exit_code, outcome FROM sessions`

/** The row of a session by its id, created when a memory is the first to name it. */
export function sessionKey(connection: Connection, id: string | null, seenAt: string): number | null {
  if (id === null) return null
  const row = connection.get<{ id: number }>(`SELECT id FROM sessions WHERE key = ?`, id)
  return row?.id ?? connection.run('INSERT INTO sessions (key, started_at) VALUES (?, ?)', id, seenAt).id
}

export function putSession(connection: Connection, session: Session): void {
  connection.run(
    `INSERT INTO sessions (key, agent, project, tier, role, started_at, ended_at, exit_code, outcome)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET agent = excluded.agent, project = excluded.project, tier = excluded.tier, role = excluded.role,
       started_at = excluded.started_at, ended_at = excluded.ended_at, exit_code = excluded.exit_code, outcome = excluded.outcome`,
    session.id,
    session.agent,
    session.project,
    session.tier,
    session.role,
    session.startedAt,
    session.endedAt,
    session.exitCode,
    session.outcome,
  )
}

export function getSession(connection: Connection, id: string): Session | null {
  const row = connection.get<SessionRow>(`${SELECT} WHERE ${KEY} = ?`, id)
  return row ? toSession(row) : null
}

export function listSessions(
  connection: Connection,
  { limit, before }: { limit: number; before: string | null },
): { sessions: Session[]; totalCount: number } {
  const behind = before === null ? '' : `WHERE id < (SELECT id FROM sessions WHERE ${KEY} = ?)`
  return connection.read(() => ({
    sessions: connection
      .all<SessionRow>(`${SELECT} ${behind} ORDER BY id DESC LIMIT ?`, ...(before === null ? [] : [before]), limit)
      .map(toSession),
    totalCount: connection.get<{ n: number }>('SELECT count(*) AS n FROM sessions')!.n,
  }))
}
