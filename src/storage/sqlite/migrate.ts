import { createHash } from 'node:crypto'
import { addColumns, assertAdoptable, relaxColumns } from './adopt.ts'
import { keepCategories, writeCategories } from './categories.ts'
import type { Connection } from './connection.ts'
import { upgradeFirstEdition } from './migrations/first-edition.ts'
import { LASTING_VIEWS, SHOW_LASTING } from './migrations/lasting.ts'
import { PIN_COLUMNS, PIN_TRIGGERS, PIN_VIEWS } from './migrations/pins.ts'
import { PUBLISHED_VIEW } from './migrations/published.ts'
import { ADDED_COLUMNS, CATEGORY_TABLE, ENGINE_TABLES, INDEXES, OPERATIONAL_TABLES } from './migrations/tables.ts'
import { COMPLETE_EXISTING_ROWS, COUNT_ROWS, TRIGGERS } from './migrations/triggers.ts'
import { VIEWS } from './migrations/views.ts'
import { COPY_WORKFLOW_ROWS, WORKFLOW_VIEW } from './migrations/workflow-view.ts'
import { APPLICATION_ID, applicationOf, type MigrationName, missingMigrations } from './schema.ts'
import { indexForeignRows } from './token-index.ts'
import { isReadOnly } from './translate-error.ts'

interface Migration {
  id: number
  name: MigrationName
  run(connection: Connection): void
}

/**
 * Forward only and frozen: migrations live in `migrations/` and depend on nothing outside it. The first two have the
 * numbers under which older tools record their tables, so that `_migrations` is the same in their files and ours. Since
 * 022, every file has the indexes, triggers and views of a new one, whatever its history.
 */
const MIGRATIONS: readonly Migration[] = [
  { id: 5, name: '005_memories', run: (connection) => connection.exec(OPERATIONAL_TABLES) },
  { id: 17, name: '017_agent_memories', run: setAsideWorkflowTable },
  { id: 18, name: '018_engine', run: createEngine },
  { id: 19, name: '019_second_edition', run: upgradeFirstEdition },
  { id: 20, name: '020_threads', run: (connection) => connection.exec(RENEW_TOKENS) },
  { id: 21, name: '021_foreign_rows', run: (connection) => connection.exec(DISTRUST_FOREIGN_ROWS) },
  { id: 22, name: '022_one_schema', run: createDerived },
  { id: 23, name: '023_pins_and_uses', run: addPins },
  { id: 24, name: '024_lasting', run: showLasting },
  { id: 25, name: '025_published', run: renewWorkflowView },
]

/** Tokenizing now strips Korean particles and indexes emoji, so text beyond ASCII is indexed again. */
const RENEW_TOKENS = `INSERT OR IGNORE INTO unindexed_memories
  SELECT id FROM memories WHERE observation || coalesce(service, '') || tags GLOB '*[^' || char(1) || '-~]*'`

/** The guard never checked what other tools wrote; from now on the triggers mark it. */
const DISTRUST_FOREIGN_ROWS = `UPDATE memories SET trust = 'flagged'
  WHERE trust <> 'quarantined' AND ulid IN (SELECT memory FROM changes WHERE by = 'sql')`

/** This migration gives a file the indexes, triggers and views of a new one. */
const ONE_SCHEMA = '022_one_schema'

/**
 * What the file header says: programs that know fewer migrations refuse the file. It is the previous release's version,
 * which works beside this one. Later migrations keep what it uses, and are recorded in `_migrations` only.
 */
const PREVIOUS_VERSION = 6

/** Another process may be migrating a large file. */
const PATIENCE_MS = 60_000

/** Migrates a file that is not current. Safe to run in several processes at once. */
export async function migrate(connection: Connection): Promise<void> {
  const isMigrated = await connection.read(() => readMissing(connection).length === 0)
  try {
    // Switching a new file to WAL needs exclusive access.
    await connection.patiently(() => connection.exec('PRAGMA journal_mode = WAL'), { patienceMs: PATIENCE_MS })
    // While tables are rebuilt, references must not be rewritten to the old one.
    connection.exec('PRAGMA legacy_alter_table = ON')
    await connection.write(() => upgrade(connection), { patienceMs: PATIENCE_MS })
  } catch (error) {
    // Only a category is missing, and a read-only file does not need it.
    if (!isMigrated || !isReadOnly(error)) throw error
  } finally {
    connection.exec('PRAGMA legacy_alter_table = OFF')
  }
}

function upgrade(connection: Connection): void {
  const missing = readMissing(connection)
  const isNew = missing.length === MIGRATIONS.length
  connection.exec(CATEGORY_TABLE)
  writeCategories(connection)
  if (isNew) keepCategories(connection)
  if (missing.length === 0) return
  connection.exec(`CREATE TABLE IF NOT EXISTS _migrations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL DEFAULT '', applied_at TEXT NOT NULL DEFAULT '')`)
  addColumns(connection, '_migrations', {
    checksum: `TEXT NOT NULL DEFAULT ''`,
    applied_at: `TEXT NOT NULL DEFAULT ''`,
  })
  if (!isNew && missing.some(({ name }) => name === ONE_SCHEMA)) dropDerived(connection)
  for (const migration of missing) {
    migration.run(connection)
    record(connection, migration)
  }
  indexForeignRows(connection)
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${PREVIOUS_VERSION}`)
}

/** The migrations that have not been applied: all for a new file or an older tool's. Refuses files that are not ours. */
function readMissing(connection: Connection): Migration[] {
  const application = applicationOf(connection)
  if (application !== APPLICATION_ID) {
    assertAdoptable(connection, application)
    return [...MIGRATIONS]
  }
  const missing = missingMigrations(connection)
  return MIGRATIONS.filter(({ name }) => missing.includes(name))
}

function record(connection: Connection, { id, name, run }: Migration): void {
  const checksum = createHash('sha256').update(name).update(run.toString()).digest('hex').slice(0, 16)
  const taken = connection.get('SELECT 1 FROM _migrations WHERE id = ?', id) !== undefined
  connection.run(
    'INSERT OR IGNORE INTO _migrations (id, name, checksum, applied_at) VALUES (?, ?, ?, ?)',
    taken ? null : id,
    name,
    checksum,
    new Date().toISOString(),
  )
}

function tableType(connection: Connection, name: string): string | undefined {
  return connection.get<{ type: string }>('SELECT type FROM sqlite_schema WHERE name = ?', name)?.type
}

function setAsideWorkflowTable(connection: Connection): void {
  if (tableType(connection, 'agent_memories') !== 'table') return
  // Indexes keep their names when the table is renamed, and the view's table needs those names.
  const indexes = connection.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'agent_memories' AND sql IS NOT NULL`,
  )
  for (const { name } of indexes) connection.exec(`DROP INDEX "${name.replaceAll('"', '""')}"`)
  connection.exec('ALTER TABLE agent_memories RENAME TO agent_memories_before')
}

function createEngine(connection: Connection): void {
  for (const [table, columns] of Object.entries(ADDED_COLUMNS)) {
    if (tableType(connection, table) !== 'table') continue
    if (table !== 'memories') relaxColumns(connection, table)
    addColumns(connection, table, columns)
  }
  connection.exec(ENGINE_TABLES)
  connection.exec(VIEWS)
  connection.exec(COMPLETE_EXISTING_ROWS)
}

const CREATED = /CREATE (?:UNIQUE )?(INDEX|TRIGGER|VIEW) IF NOT EXISTS (\w+)/g
/** The derived objects of earlier versions. */
const EARLIER = [
  ...['memories_reindexed', 'memories_activated'].map((name) => ['TRIGGER', name]),
  ...['changes_deleted', 'injections_session', 'memories_hidden', 'memories_unembedded', 'memories_thread'].map(
    (name) => ['INDEX', name],
  ),
]

/** The triggers of an earlier version must not fire while its rows are migrated. */
function dropDerived(connection: Connection): void {
  dropCreated(connection, `${INDEXES}${TRIGGERS}${WORKFLOW_VIEW}`)
  for (const [type, name] of EARLIER) connection.exec(`DROP ${type} IF EXISTS ${name}`)
}

function createDerived(connection: Connection): void {
  connection.exec(VIEWS)
  connection.exec(INDEXES)
  connection.exec(COUNT_ROWS)
  connection.exec(TRIGGERS)
  connection.exec(WORKFLOW_VIEW)
  if (tableType(connection, 'agent_memories_before') === 'table') moveWorkflowRows(connection)
}

function addPins(connection: Connection): void {
  addColumns(connection, 'memories', PIN_COLUMNS)
  dropCreated(connection, `${PIN_VIEWS}${PIN_TRIGGERS}`)
  connection.exec(PIN_VIEWS)
  connection.exec(PIN_TRIGGERS)
}

function showLasting(connection: Connection): void {
  dropCreated(connection, LASTING_VIEWS)
  connection.exec(LASTING_VIEWS)
  connection.exec(SHOW_LASTING)
}

function renewWorkflowView(connection: Connection): void {
  dropCreated(connection, PUBLISHED_VIEW)
  connection.exec(PUBLISHED_VIEW)
}

function dropCreated(connection: Connection, sql: string): void {
  for (const [, type, name] of sql.matchAll(CREATED)) connection.exec(`DROP ${type} IF EXISTS ${name}`)
}

function moveWorkflowRows(connection: Connection): void {
  connection.exec(COPY_WORKFLOW_ROWS)
  if (!connection.get('SELECT 1 FROM agent_memories_before')) connection.exec('DROP TABLE agent_memories_before')
}
