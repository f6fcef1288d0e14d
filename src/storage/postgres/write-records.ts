import type { Change } from '../../model/records.ts'
import type { Queries } from './client.ts'
import type { Decision } from './decide.ts'
import { putDocument, removeDocument } from './documents.ts'

const CHANGE = `INSERT INTO changes (memory, version, operation, at, by, after)
  SELECT r.memory, r.version, r.operation, r.at, r.by, CASE WHEN json_typeof(r.after) <> 'null' THEN r.after END
  FROM json_to_recordset($1::json) AS r(memory text, version int, operation text, at text, by text, after json)
  ORDER BY r.memory COLLATE "C", r.version ON CONFLICT (memory, version)`
/** An id that was deleted and is used again writes over its former life. */
const OVERWRITE = `DO UPDATE SET operation = EXCLUDED.operation, at = EXCLUDED.at, by = EXCLUDED.by, after = EXCLUDED.after`

/** Writes everything of a decision but the memories. False when somebody wrote one of the records meanwhile. */
export async function writeRecords(queries: Queries, decision: Decision): Promise<boolean> {
  const { once, history, imported, sessions, injections, events } = decision
  const add = async (sql: string, items: readonly object[]) => {
    if (items.length === 0) return true
    return (await queries.query(`${sql} RETURNING 1 AS one`, [JSON.stringify(items)])).length === items.length
  }
  const changes = (map: ReadonlyMap<string, Change>) => [...map.values()]
  return (
    (await add(
      `INSERT INTO once_keys (key, memory) SELECT r.key, r.memory FROM json_to_recordset($1::json) AS r(key text, memory text)
       ORDER BY r.key COLLATE "C" ON CONFLICT DO NOTHING`,
      [...once].map(([key, memory]) => ({ key, memory })),
    )) &&
    (await add(`${CHANGE} DO NOTHING`, changes(imported))) &&
    (await add(`${CHANGE} ${OVERWRITE}`, changes(history))) &&
    (await add(
      `INSERT INTO injections (id, session, memory, position, tokens, format, at)
       SELECT r.* FROM json_to_recordset($1::json) AS r(id text, session text, memory text, position bigint, tokens bigint,
         format text, at text) ORDER BY r.id COLLATE "C" ON CONFLICT DO NOTHING`,
      injections,
    )) &&
    (await add(
      `INSERT INTO events (id, at, type, session, identifiers, data)
       SELECT r.* FROM json_to_recordset($1::json) AS r(id text, at text, type text, session text, identifiers json, data json)
       ORDER BY r.id COLLATE "C" ON CONFLICT DO NOTHING`,
      events,
    )) &&
    (await add(
      `UPDATE sessions s SET agent = r.agent, project = r.project, tier = r.tier, role = r.role, started_at = r."startedAt",
         ended_at = r."endedAt", exit_code = r."exitCode", outcome = r.outcome
       FROM json_to_recordset($1::json) AS r(id text, agent text, project text, tier int, role text, "startedAt" text,
         "endedAt" text, "exitCode" bigint, outcome text) WHERE s.key = r.id`,
      [...sessions.values()],
    ))
  )
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

/** Rows that each counter is spread over. */
const SHARDS = 16

/** Last of all, so that the rows are held as briefly as can be. */
export async function writeCounts(queries: Queries, { counts }: Decision): Promise<void> {
  const moved = [...counts].flatMap(([name, n]) => {
    const [what, key] = name.split(' ')
    return n === 0 ? [] : [{ what, key: Number(key), n }]
  })
  if (moved.length === 0) return
  await queries.query(
    `INSERT INTO counts (what, key, shard, n)
     SELECT r.what, r.key, pg_backend_pid() % ${SHARDS}, r.n FROM json_to_recordset($1::json) AS r(what text, key int, n int)
     ORDER BY r.what COLLATE "C", r.key ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + EXCLUDED.n`,
    [JSON.stringify(moved)],
  )
}
