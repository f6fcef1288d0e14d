import type { Queries } from './client.ts'
import type { Decision } from './decide.ts'
import { putDocument, removeDocument } from './documents.ts'

/** A statement for rows that travel as JSON. */
interface Part {
  sql: string
  items: readonly object[]
}

const CHANGE = `INSERT INTO changes (memory, version, operation, at, by, after)
  SELECT r.memory, r.version, r.operation, r.at, r.by, CASE WHEN json_typeof(r.after) <> 'null' THEN r.after END
  FROM json_to_recordset($1::json) AS r(memory text, version int, operation text, at text, by text, after json)
  ORDER BY r.memory COLLATE "C", r.version`

/** Rows that each counter is spread over. */
const SHARDS = 16

const SQL = {
  once: `INSERT INTO once_keys (key, memory)
    SELECT r.key, r.memory FROM json_to_recordset($1::json) AS r(key text, memory text)
    ORDER BY r.key COLLATE "C"`,
  imported: CHANGE,
  // An id that was deleted and is used again writes over its former life.
  history: `${CHANGE} ON CONFLICT (memory, version) DO UPDATE SET operation = EXCLUDED.operation, at = EXCLUDED.at, by = EXCLUDED.by, after = EXCLUDED.after`,
  injections: `INSERT INTO injections (id, session, memory, position, tokens, format, at)
    SELECT r.* FROM json_to_recordset($1::json) AS r(id text, session text, memory text, position bigint, tokens bigint,
      format text, at text) ORDER BY r.id COLLATE "C"`,
  events: `INSERT INTO events (id, at, type, session, identifiers, data)
    SELECT r.* FROM json_to_recordset($1::json) AS r(id text, at text, type text, session text, identifiers json, data json)
    ORDER BY r.id COLLATE "C"`,
  sessions: `UPDATE sessions s SET agent = r.agent, project = r.project, tier = r.tier, role = r.role,
      started_at = r."startedAt", ended_at = r."endedAt", exit_code = r."exitCode", outcome = r.outcome
    FROM json_to_recordset($1::json) AS r(id text, agent text, project text, tier int, role text, "startedAt" text,
      "endedAt" text, "exitCode" bigint, outcome text) WHERE s.key = r.id`,
  counts: `INSERT INTO counts (what, key, shard, n)
    SELECT r.what, r.key, pg_backend_pid() % ${SHARDS}, r.n FROM json_to_recordset($1::json) AS r(what text, key int, n int)
    ORDER BY r.what COLLATE "C", r.key ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + EXCLUDED.n`,
}

/** Sends what writes everything of a decision but memories and documents. A record that somebody wrote meanwhile makes it fail. */
export function writeRecords(queries: Queries, decision: Decision): Promise<unknown>[] {
  const { once, history, imported, sessions, injections, events, counts } = decision
  const all: Part[] = [
    { sql: SQL.once, items: [...once].map(([key, memory]) => ({ key, memory })) },
    { sql: SQL.imported, items: [...imported.values()] },
    { sql: SQL.history, items: [...history.values()] },
    { sql: SQL.injections, items: injections },
    { sql: SQL.events, items: events },
    { sql: SQL.sessions, items: [...sessions.values()] },
    { sql: SQL.counts, items: movedCounts(counts) },
  ]
  const parts = all.filter(({ items }) => items.length > 0)
  return parts.map(({ sql, items }) => queries.query(sql, [JSON.stringify(items)]))
}

function movedCounts(counts: Decision['counts']): object[] {
  return [...counts].flatMap(([name, n]) => {
    const [what, key] = name.split(' ')
    return n === 0 ? [] : [{ what, key: Number(key), n }]
  })
}

/** Puts and removes documents in order. Returns how many of these writes changed something. */
export async function writeDocuments(queries: Queries, { documents }: Decision): Promise<number> {
  let changed = 0
  for (const write of documents) {
    const done =
      write.kind === 'put'
        ? await putDocument(queries, write.collection, write.document)
        : await removeDocument(queries, write.collection, write.key)
    if (done) changed++
  }
  return changed
}
