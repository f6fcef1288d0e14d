import type { Page } from '../../model/page.ts'
import type { Session } from '../../model/records.ts'
import type { SessionQuery, SessionSelector } from '../record-query.ts'
import type { Connection } from './connection.ts'
import { TIME } from './expressions.ts'
import { decodePosition, encodePosition, toPage } from './position.ts'
import type { SqlCondition } from './scopes.ts'

/** The row of a session by its id, made when a record is the first to name it; nothing is known of it then. */
export function sessionKey(connection: Connection, id: string | null): number | null {
  if (id === null) return null
  const row = connection.get<{ id: number }>('SELECT id FROM sessions WHERE key = ?', id)
  return row?.id ?? connection.run('INSERT INTO sessions (key) VALUES (?)', id).id
}

interface SessionRow {
  key: string
  agent: string | null
  project: string | null
  tier: number | null
  role: string | null
  begun_at: string
  ended_at: string | null
  exit_code: number | null
  outcome: string | null
}

/** Other tools' rows stand in the same table, with times in other forms and tiers of their own. */
const COLUMNS = `coalesce(s.key, CAST(s.id AS TEXT)) AS key, s.agent, s.project,
  CASE WHEN s.tier IN (0, 1, 2, 3) THEN s.tier END AS tier, s.role, s.begun_at, ${TIME('s.ended_at')} AS ended_at,
  s.exit_code, s.outcome`

function toSession(row: SessionRow): Session {
  return {
    id: row.key,
    agent: row.agent,
    project: row.project,
    tier: row.tier as Session['tier'],
    role: row.role,
    startedAt: row.begun_at,
    endedAt: row.ended_at,
    exitCode: row.exit_code,
    outcome: row.outcome,
  }
}

/** Adds what was not known. The caller holds the write transaction. */
export function mergeSession(connection: Connection, said: Session): boolean {
  const id = sessionKey(connection, said.id)!
  const known = connection.get<SessionRow & { begun_at: string | null }>(
    `SELECT ${COLUMNS} FROM sessions s WHERE s.id = ?`,
    id,
  )!
  const isEnd = known.ended_at === null
  const merged = {
    agent: known.agent ?? said.agent,
    project: known.project ?? said.project,
    tier: known.tier ?? said.tier,
    role: known.role ?? said.role,
    begun_at: known.begun_at !== null && known.begun_at < said.startedAt ? known.begun_at : said.startedAt,
    ended_at: isEnd ? said.endedAt : known.ended_at,
    exit_code: isEnd ? said.exitCode : known.exit_code,
    outcome: isEnd ? said.outcome : known.outcome,
  }
  const changes = Object.entries(merged).filter(([name, value]) => value !== known[name as keyof SessionRow])
  if (changes.length === 0) return false
  const columns = changes.map(([name]) => (name === 'begun_at' ? 'begun_at = ?, started_at = ?' : `${name} = ?`))
  const values = changes.flatMap(([name, value]) => (name === 'begun_at' ? [value, value] : [value]))
  connection.run(`UPDATE sessions SET ${columns.join(', ')} WHERE id = ?`, ...values, id)
  return true
}

export function listSessions(connection: Connection, { any, after, limit }: SessionQuery): Page<Session> {
  const position = decodePosition('sessions', ['string', 'string'], after)
  const behind = position ? ' AND (s.begun_at, s.key) < (?, ?)' : ''
  const select = (condition: SqlCondition) =>
    connection.all<SessionRow>(
      `SELECT ${COLUMNS} FROM sessions s WHERE s.begun_at IS NOT NULL${condition.sql}${behind}
       ORDER BY s.begun_at DESC, s.key DESC LIMIT ?`,
      ...condition.values,
      ...(position ?? []),
      limit + 1,
    )
  const found =
    any === null ? select({ sql: '', values: [] }) : any.flatMap((selector) => select(conditionOf(selector)))
  const rows = [...new Map(found.map((row) => [row.key, row])).values()].sort(newestFirst).slice(0, limit + 1)
  return toPage(rows, limit, toSession, (row) => encodePosition('sessions', [row.begun_at, row.key]))
}

function conditionOf(selector: SessionSelector): SqlCondition {
  if ('id' in selector) return { sql: ' AND s.key = ?', values: [selector.id] }
  if ('agent' in selector) return { sql: ' AND s.project IS NULL AND s.agent = ?', values: [selector.agent] }
  return { sql: ' AND s.project = ?', values: [selector.project] }
}

function newestFirst(a: SessionRow, b: SessionRow): number {
  if (a.begun_at !== b.begun_at) return a.begun_at < b.begun_at ? 1 : -1
  return a.key < b.key ? 1 : -1
}
