import type { Decision } from '../decide.ts'
import { putDocument, removeDocument } from '../sql/documents.ts'
import type { Queries } from './client.ts'
import type { Count } from './counts.ts'
import { ask } from './dialect.ts'
import { storedKey } from './keys.ts'
import type { KnownRows } from './known.ts'

const CHANGE = `INSERT INTO changes (memory, version, operation, at, by, after)
  SELECT r.memory, r.version, r.operation, r.at, r.by, CASE WHEN json_typeof(r.after) <> 'null' THEN r.after END
  FROM json_to_recordset($1::json) AS r(memory text, version int, operation text, at text, by text, after json)
  ORDER BY r.memory COLLATE "C", r.version`
/** If a deleted id is used again, its new history overwrites the old. */
const OWN_CHANGE = `${CHANGE} ON CONFLICT (memory, version) DO UPDATE
  SET operation = EXCLUDED.operation, at = EXCLUDED.at, by = EXCLUDED.by, after = EXCLUDED.after`
const ONCE = `INSERT INTO once_keys (key, memory)
  SELECT r.key, r.memory FROM json_to_recordset($1::json) AS r(key text, memory text) ORDER BY r.key COLLATE "C"`
const INJECTIONS = `INSERT INTO injections (id, session, memory, position, tokens, format, at)
  SELECT r.* FROM json_to_recordset($1::json) AS r(id text, session text, memory text, position bigint, tokens bigint,
    format text, at text) ORDER BY r.id COLLATE "C"`
const EVENTS = `INSERT INTO events (id, at, type, session, identifiers, data)
  SELECT r.* FROM json_to_recordset($1::json) AS r(id text, at text, type text, session text, identifiers json, data json)
  ORDER BY r.id COLLATE "C"`

const KEY = `INSERT INTO commit_keys (key, changed, note)
  SELECT r.* FROM json_to_recordset($1::json) AS r(key text, changed int, note text)`

/**
 * Sends all other writes of a decision except sessions, as far as possible in one statement: none of them reads what another writes. Fails
 * if another commit wrote one of the records, or applied the same key, in the meantime.
 */
export function writeRecords(
  queries: Queries,
  decision: Decision,
  key: string,
  counts: readonly Count[],
): Promise<unknown>[] {
  const history = Map.groupBy(decision.history.values(), ({ isOwn }) => isOwn)
  const changes = (isOwn: boolean) => history.get(isOwn)?.map(({ change }) => change) ?? []
  const once = [...decision.once].map(([key, memory]) => ({ key: storedKey(key), memory }))
  const { changed, note } = decision
  const inserts = new Map<string, readonly object[]>([
    [KEY, [{ key, changed, note }]],
    ...([
      [ONCE, once],
      [CHANGE, changes(false)],
      [OWN_CHANGE, changes(true)],
    ] as const),
    ...([
      [INJECTIONS, decision.injections],
      [EVENTS, decision.events],
      [COUNT, counts],
    ] as const),
  ])
  const filled = [...inserts].filter(([, rows]) => rows.length > 0)
  const parts = filled.map(([insert], i) => `w${i} AS (${insert.replace('$1', `$${i + 1}`)})`)
  return [
    queries.query(
      `WITH ${parts.join(', ')} SELECT 1 AS one`,
      filled.map(([, rows]) => JSON.stringify(rows)),
    ),
    ...decision.documents.map((write) => {
      const { collection } = write
      return ask(
        queries,
        write.kind === 'put' ? putDocument(collection, write.document) : removeDocument(collection, write.key),
      )
    }),
  ]
}

/** A session gets a row the first time it is named. */
const NAME = `INSERT INTO sessions (key) SELECT key FROM unnest($1::text[]) AS w(key)
  WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.key = w.key) ORDER BY key COLLATE "C" ON CONFLICT DO NOTHING`
const TOLD = `json_to_recordset($1::json) AS r(id text, agent text, project text, tier int, role text, "startedAt" text,
    "endedAt" text, "exitCode" bigint, outcome text)`
const ADD_SESSIONS = `INSERT INTO sessions (key, agent, project, tier, role, started_at, ended_at, exit_code, outcome)
  SELECT * FROM ${TOLD} ORDER BY r.id COLLATE "C"`
const CHANGE_SESSIONS = `UPDATE sessions s SET agent = r.agent, project = r.project, tier = r.tier, role = r.role,
    started_at = r."startedAt", ended_at = r."endedAt", exit_code = r."exitCode", outcome = r.outcome
  FROM ${TOLD} WHERE s.key = r.id`

/** Fails, and is read again, if another commit writes the same session at the same time. */
export function writeSessions(
  queries: Queries,
  { memories, sessions }: Decision,
  known: KnownRows,
): Promise<unknown>[] {
  const named = new Set(memories.flatMap((write) => ('row' in write ? (write.row.memory.session ?? []) : [])))
  const told = Map.groupBy(sessions.values(), ({ id }) => known.sessions.has(id))
  return [
    ...send(queries, ADD_SESSIONS, told.get(false) ?? []),
    ...send(queries, CHANGE_SESSIONS, told.get(true) ?? []),
    ...(named.size > 0 ? [queries.query(NAME, [[...named]])] : []),
  ]
}

/** Rows per counter, to spread contention. */
const SHARDS = 16
const COUNT = `INSERT INTO counts (what, key, shard, n)
  SELECT r.what, r.key, pg_backend_pid() % ${SHARDS}, r.n FROM json_to_recordset($1::json) AS r(what text, key int, n int)
  ORDER BY r.what COLLATE "C", r.key ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + EXCLUDED.n`

function send(queries: Queries, sql: string, rows: readonly object[]): Promise<unknown>[] {
  return rows.length === 0 ? [] : [queries.query(sql, [JSON.stringify(rows)])]
}
