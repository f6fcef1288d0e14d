import { createHash } from 'node:crypto'
import { CATEGORY_NAMES } from '../../model/categories.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Queries, SqlClient } from './client.ts'
import { NEWEST, PREVIOUS, STEPS, type Step } from './steps.ts'

/**
 * Advisory locks by number. `migrate`: one process migrates at a time. `purge`: commits share it, a purge takes it
 * exclusively.
 */
export const LOCKS = { migrate: 0x4e4f4b4f01, purge: 0x4e4f4b4f02 } as const

/** This version introduced iterative index scans. */
const LEAST_PGVECTOR = [0, 8]

/**
 * Creates the schema in an empty database. An existing schema is never changed here, because others use it: if steps
 * are missing without which this program does not work, it is refused (see `upgrade`).
 */
export async function prepareSchema(client: SqlClient): Promise<void> {
  const { missing, isNew } = await readSchema(client)
  if (isNew) await createSchema(client)
  else if (missing.some(({ sql }) => sql !== undefined)) throw outdated(missing)
}

export async function createSchema(client: SqlClient): Promise<void> {
  await client.transaction(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${LOCKS.migrate})`)
    if (!(await readSchema(queries)).isNew) return
    await ensurePgvector(queries)
    for (const table of ['_migrations', '_expansions']) await queries.script(ledger(table))
    for (const step of STEPS) {
      if (step.sql !== undefined) await queries.script(step.sql)
      if (step.index) await queries.script(`DROP INDEX IF EXISTS ${step.index.name}; ${createIndex(step.index)}`)
      await recordStep(queries, step)
    }
    await writeCategories(queries)
  })
}

export function createIndex({ name, on }: NonNullable<Step['index']>, how = ''): string {
  return `CREATE INDEX ${how} ${name} ON memories ${on}`
}

export function ledger(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`
}

export async function recordStep(queries: Queries, step: Step): Promise<void> {
  const { id, name, ...content } = step
  await queries.query(
    `INSERT INTO ${id <= PREVIOUS ? '_migrations' : '_expansions'} (id, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`,
    [
      id,
      name,
      createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16),
      new Date().toISOString(),
    ],
  )
}

/** For the triggers on rows of other programs. Those of a newer version stay. */
export async function writeCategories(queries: Queries): Promise<void> {
  await queries.query(
    `INSERT INTO memory_categories SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET stored_as = excluded.stored_as`,
    [[...CATEGORY_NAMES.keys()], [...CATEGORY_NAMES.values()]],
  )
}

export interface SchemaState {
  isNew: boolean
  /** The steps that have not been applied, in their order. */
  missing: Step[]
}

/** Refuses a database that is not ours, or that this version cannot work with. */
export async function readSchema(queries: Queries): Promise<SchemaState> {
  const found = await queries.query<{ relname: string }>(
    // Reads the catalog directly: to_regclass may use a cache older than the lock that was just acquired.
    `SELECT relname FROM pg_class
     WHERE relname IN ('_migrations', '_expansions', 'memories') AND relnamespace = current_schema()::regnamespace`,
  )
  const names = new Set(found.map(({ relname }) => relname))
  if (!names.has('_migrations')) {
    if (names.has('memories')) {
      throw refusal(
        'The database has a table named memories that belongs to another program: use another database or schema.',
      )
    }
    return { isNew: true, missing: [...STEPS] }
  }
  const expansions = names.has('_expansions') ? 'UNION ALL SELECT id, false FROM _expansions' : ''
  const rows = await queries.query<{ id: number; required: boolean }>(
    `SELECT id, true AS required FROM _migrations ${expansions}`,
  )
  assertKnown(Math.max(0, ...rows.filter(({ required }) => required).map(({ id }) => id)))
  const applied = new Set(rows.map(({ id }) => id))
  return { isNew: false, missing: STEPS.filter(({ id }) => !applied.has(id)) }
}

/** The newest step that every program of the store has to know. */
export const REQUIRED_STEP = '(SELECT max(id) FROM _migrations)'

/** Refuses a schema that only newer versions know, also when a running process meets it. */
export function assertKnown(required: number): void {
  if (required <= NEWEST) return
  const message = `The database was written by a newer Nokosu (schema ${required}; this one knows ${NEWEST}). Upgrade Nokosu to open it.`
  throw refusal(message, { databaseVersion: required, knownVersion: NEWEST })
}

function outdated(missing: readonly Step[]): MemoryError {
  const names = missing.map(({ name }) => name)
  const message = `The store's schema is older than this Nokosu: it lacks ${names.join(', ')}. Run 'nokosu upgrade' once; the previous version keeps working beside this one.`
  return new MemoryError('CONFIGURATION_ERROR', message, { details: { key: 'db', missing: names } })
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
