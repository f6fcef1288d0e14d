import type { Layer } from '../../model/layer.ts'
import type { PurgeReport, StorageStats } from '../upkeep.ts'
import type { Queries, SqlClient } from './client.ts'
import { LOCKS } from './migrate.ts'

const SIZE = `SELECT sum(pg_total_relation_size(c.oid))::float8 AS size FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'memories'::regclass)`

export async function readStats(queries: Queries): Promise<StorageStats> {
  const counts = await queries.query<{ what: string; name: string | null; n: number }>(
    `SELECT c.what, coalesce(s.layer, v.name) AS name, sum(c.n)::int AS n FROM counts c
     LEFT JOIN scopes s ON c.what IN ('memories', 'active') AND s.id = c.key
     LEFT JOIN models v ON c.what = 'vectors' AND v.id = c.key
     GROUP BY 1, 2 HAVING sum(c.n) > 0 ORDER BY 1, 2`,
  )
  const [row] = await queries.query<{ size: number | null }>(SIZE)
  const of = (what: string) => counts.filter((count) => count.what === what)
  const sum = (what: string) => of(what).reduce((total, { n }) => total + n, 0)
  return {
    memories: sum('memories'),
    active: sum('active'),
    byLayer: Object.fromEntries(of('memories').map(({ name, n }) => [name as Layer, n])),
    sessions: sum('sessions'),
    models: of('vectors').map(({ name }) => name!),
    sizeBytes: row?.size ?? null,
  }
}

const REMAINS =
  `The removed text may still be read from the server's files: in the tables until VACUUM has run and the space is
 used again, in the write-ahead log until it is recycled, and in backups and replicas for as long as they are kept.`.replace(
    '\n',
    '',
  )

/**
 * Memories last changed before this time that are inactive or deleted; their former content is removed too. An imported
 * memory may have no history, so its own time is used.
 */
const GONE = `CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT memory FROM (
  SELECT c.memory, max(c.at) AS at FROM changes c LEFT JOIN memories m ON m.ulid = c.memory
    WHERE m.ulid IS NULL OR m.active = 0 GROUP BY c.memory
  UNION ALL SELECT m.ulid, m.updated_at FROM memories m
    WHERE m.active = 0 AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.memory = m.ulid)) past WHERE at < `

export async function purge(client: SqlClient, before: string, dryRun: boolean): Promise<PurgeReport> {
  const removed = await client.transaction(async (queries) => {
    // Blocks commits: one might be about to reuse a vector that is unused now.
    await queries.query(`SELECT pg_advisory_xact_lock(${LOCKS.purge})`)
    // CREATE TABLE AS takes no parameters, and a checked time has no quotes.
    await queries.script(`${GONE}'${exactTime(before)}' COLLATE "C"; ANALYZE gone`)
    return dryRun ? countGone(queries) : removeGone(queries)
  })
  const remains = !dryRun && removed.memories + removed.changes + removed.vectors > 0 ? REMAINS : null
  return { ...removed, erased: remains === null, remains }
}

const IS_GONE = (column: string) => `${column} IN (SELECT memory FROM gone)`
const UNUSED = `FROM embeddings e WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.embedding_id = e.id AND NOT ${IS_GONE('m.ulid')})`

type Removed = Pick<PurgeReport, 'memories' | 'changes' | 'vectors'>

async function countGone(queries: Queries): Promise<Removed> {
  const count = async (sql: string) => (await queries.query<{ n: number }>(`SELECT count(*)::int AS n ${sql}`))[0]!.n
  return {
    memories: await count(`FROM memories WHERE ${IS_GONE('ulid')}`),
    changes: await count(`FROM changes WHERE ${IS_GONE('memory')}`),
    vectors: await count(UNUSED),
  }
}

async function removeGone(queries: Queries): Promise<Removed> {
  const removed = await countGone(queries)
  await queries.query(
    `INSERT INTO counts (what, key, shard, n)
     SELECT what, key, 0, -count(*)::int FROM memories m CROSS JOIN LATERAL (VALUES ('memories', m.scope_key, true),
       ('active', m.scope_key, m.active = 1), ('vectors', m.model, m.model IS NOT NULL)) AS c(what, key, counts)
     WHERE ${IS_GONE('m.ulid')} AND c.counts GROUP BY what, key
     ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + EXCLUDED.n`,
  )
  await queries.query(`DELETE ${UNUSED}`)
  await queries.query(`DELETE FROM memories WHERE ${IS_GONE('ulid')}`)
  for (const table of ['changes', 'injections', 'once_keys'])
    await queries.query(`DELETE FROM ${table} WHERE ${IS_GONE('memory')}`)
  return removed
}

/** `toISOString` throws for anything that is not a valid time. */
function exactTime(time: string): string {
  return new Date(time).toISOString()
}
