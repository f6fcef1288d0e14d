import { createHash } from 'node:crypto'
import { CATEGORY_NAMES } from '../../model/categories.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Queries, SqlClient } from './client.ts'
import { PUBLISHED } from './published.ts'
import { COVERING_INDEX, ENGINE_TABLES, MEMORY_TABLES, PINS_AND_USES, SHOW_LASTING, WORKFLOW_VIEW } from './schema.ts'

/** Forward only. The first two have the numbers of the older tools' tables, as on SQLite. */
const MIGRATIONS: readonly { id: number; name: string; sql: string }[] = [
  { id: 5, name: '005_memories', sql: MEMORY_TABLES },
  { id: 17, name: '017_agent_memories', sql: WORKFLOW_VIEW },
  { id: 18, name: '018_engine', sql: ENGINE_TABLES },
  { id: 19, name: '019_covering_index', sql: COVERING_INDEX },
  { id: 20, name: '020_pins_and_uses', sql: PINS_AND_USES },
  { id: 21, name: '021_lasting', sql: SHOW_LASTING },
  { id: 22, name: '022_published', sql: PUBLISHED },
]
const NEWEST = MIGRATIONS.at(-1)!.id

/**
 * Advisory locks by number. `migrate`: one process migrates at a time. `purge`: commits share it, a purge takes it
 * exclusively.
 */
export const LOCKS = { migrate: 0x4e4f4b4f01, purge: 0x4e4f4b4f02 } as const

/** This version introduced iterative index scans. */
const LEAST_PGVECTOR = [0, 8]

/** Migrates the schema. Safe to run in several processes on one database at once. */
export async function migrate(client: SqlClient): Promise<void> {
  if ((await readVersion(client)) !== NEWEST) await migrateFromOlder(client)
  await writeCategories(client)
}

/** For the triggers on rows of other programs. Those of a newer version stay. */
async function writeCategories(client: SqlClient): Promise<void> {
  const [row] = await client.query<{ stored: Record<string, string> | null }>(
    'SELECT json_object_agg(name, stored_as) AS stored FROM memory_categories',
  )
  const missing = [...CATEGORY_NAMES].filter(([name, category]) => row?.stored?.[name] !== category)
  if (missing.length === 0) return
  await client.query(
    `INSERT INTO memory_categories SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET stored_as = excluded.stored_as`,
    [missing.map(([name]) => name), missing.map(([, category]) => category)],
  )
}

async function migrateFromOlder(client: SqlClient): Promise<void> {
  await client.transaction(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${LOCKS.migrate})`)
    const from = await readVersion(queries)
    if (from === NEWEST) return
    await ensurePgvector(queries)
    await queries.script(`CREATE TABLE IF NOT EXISTS _migrations (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`)
    for (const { id, name, sql } of MIGRATIONS.filter((migration) => migration.id > from)) {
      await queries.script(sql)
      await queries.query('INSERT INTO _migrations (id, name, checksum, applied_at) VALUES ($1, $2, $3, $4)', [
        id,
        name,
        createHash('sha256').update(sql).digest('hex').slice(0, 16),
        new Date().toISOString(),
      ])
    }
  })
}

/** 0 for a new database; refuses a database that is not ours. */
async function readVersion(queries: Queries): Promise<number> {
  const [found] = await queries.query<{ migrations: boolean; memories: boolean }>(
    // Reads the catalog directly: to_regclass may use a cache older than the lock that was just acquired.
    `SELECT coalesce(bool_or(relname = '_migrations'), false) AS migrations, coalesce(bool_or(relname = 'memories'), false) AS memories
     FROM pg_class WHERE relname IN ('_migrations', 'memories') AND relnamespace = current_schema()::regnamespace`,
  )
  if (!found?.migrations) {
    if (!found?.memories) return 0
    throw refusal('The database has a table memories of another program: use another database or schema.')
  }
  const [row] = await queries.query<{ version: number | null }>('SELECT max(id) AS version FROM _migrations')
  const version = row?.version ?? 0
  if (version <= NEWEST) return version
  const message = `The database was written by a newer Nokosu (schema ${version}; this one knows ${NEWEST}). Upgrade Nokosu to open it.`
  throw refusal(message, { databaseVersion: version, knownVersion: NEWEST })
}

const NO_PGVECTOR =
  'The PostgreSQL server has no pgvector, which finds memories by meaning. Install version 0.8 or later on the server (a package such as postgresql-17-pgvector), and open the store again.'
const NOT_ENABLED =
  'pgvector is not enabled in this database, and this user may not enable it: an administrator has to run CREATE EXTENSION vector in it.'
/** PostgreSQL's code for insufficient privilege. */
const NOT_ALLOWED = '42501'

async function ensurePgvector(queries: Queries): Promise<void> {
  const read = () =>
    queries.query<{ extversion: string }>(`SELECT extversion FROM pg_extension WHERE extname = 'vector'`)
  if ((await read()).length === 0) {
    const offered = await queries.query(`SELECT 1 AS one FROM pg_available_extensions WHERE name = 'vector'`)
    if (offered.length === 0) throw refusal(NO_PGVECTOR)
    await queries.script('CREATE EXTENSION IF NOT EXISTS vector').catch((error: { code?: unknown }) => {
      throw error.code === NOT_ALLOWED ? refusal(NOT_ENABLED) : error
    })
  }
  const version = (await read())[0]?.extversion ?? '0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST_PGVECTOR[0]! || minor >= LEAST_PGVECTOR[1]!) return
  throw refusal(
    `pgvector ${version} is too old: install ${LEAST_PGVECTOR.join('.')} or later on the server, and run ALTER EXTENSION vector UPDATE in this database.`,
    { version },
  )
}

function refusal(message: string, details: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('PROVIDER_ERROR', message, { retryable: false, details })
}
