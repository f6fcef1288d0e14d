import { createHash } from 'node:crypto'
import { MemoryError } from '../../model/errors.ts'
import { assertAdoptable, readColumns, relaxColumns } from './adopt.ts'
import type { Connection } from './connection.ts'
import { ADDED_COLUMNS, ENGINE_TABLES, OPERATIONAL_TABLES } from './schema.ts'
import { COMPLETE_EXISTING_ROWS, TRIGGERS } from './triggers.ts'
import { COPY_WORKFLOW_ROWS, WORKFLOW_VIEW } from './workflow-view.ts'

/** Marks a file as ours in its header: 'NOKO'. */
const APPLICATION_ID = 0x4e4f4b4f

interface Migration {
  id: number
  name: string
  run(connection: Connection): void
}

/**
 * Forward only. The first two carry the numbers under which older tools record their tables, so that a file of theirs and
 * a file of ours tell the same story in `_migrations`.
 */
const MIGRATIONS: readonly Migration[] = [
  { id: 5, name: '005_memories', run: (connection) => connection.exec(OPERATIONAL_TABLES) },
  { id: 17, name: '017_agent_memories', run: setAsideWorkflowTable },
  { id: 18, name: '018_engine', run: createEngine },
]

/** The schema version this program knows; kept in the file's header. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Brings the file up to date. Many processes may call this on one file at once. */
export function migrate(connection: Connection): void {
  if (readVersion(connection) === SCHEMA_VERSION) return
  enableWriteAheadLog(connection)
  // While tables are rebuilt, what refers to them must neither follow the old one nor mind that it is gone.
  connection.exec('PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON')
  try {
    upgrade(connection)
  } finally {
    connection.exec('PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON')
  }
}

function upgrade(connection: Connection): void {
  connection.write(() => {
    const from = readVersion(connection)
    if (from === SCHEMA_VERSION) return
    connection.exec(`CREATE TABLE IF NOT EXISTS _migrations (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL DEFAULT '', applied_at TEXT NOT NULL DEFAULT '')`)
    addColumns(connection, '_migrations', {
      checksum: `TEXT NOT NULL DEFAULT ''`,
      applied_at: `TEXT NOT NULL DEFAULT ''`,
    })
    for (const migration of MIGRATIONS.slice(from)) {
      migration.run(connection)
      record(connection, migration)
    }
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
  })
}

/** 0 for a file that is new or an older tool's; refuses what is not ours to touch. */
function readVersion(connection: Connection): number {
  const application = connection.get<{ application_id: number }>('PRAGMA application_id')!.application_id
  const version = connection.get<{ user_version: number }>('PRAGMA user_version')!.user_version
  if (application === APPLICATION_ID) {
    if (version <= SCHEMA_VERSION) return version
    throw new MemoryError(
      'PROVIDER_ERROR',
      `The database was written by a newer Nokosu (schema ${version}; this one knows ${SCHEMA_VERSION}). Upgrade Nokosu to open it.`,
      { retryable: false, details: { fileVersion: version, knownVersion: SCHEMA_VERSION } },
    )
  }
  assertAdoptable(connection, application)
  return 0
}

/** Switching a new file to WAL needs it for itself; SQLite does not wait for that by itself. */
function enableWriteAheadLog(connection: Connection): void {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!MemoryError.is(error) || !error.retryable || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20)
    }
  }
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

function addColumns(connection: Connection, table: string, columns: Record<string, string>): void {
  const present = new Set(readColumns(connection, table).map((column) => column.name))
  for (const [name, definition] of Object.entries(columns)) {
    if (!present.has(name)) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`)
  }
}

function setAsideWorkflowTable(connection: Connection): void {
  if (tableType(connection, 'agent_memories') !== 'table') return
  // Its indexes keep their names when the table moves, and the view's table needs those names.
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
  connection.exec(COMPLETE_EXISTING_ROWS)
  connection.exec(TRIGGERS)
  connection.exec(WORKFLOW_VIEW)
  if (tableType(connection, 'agent_memories_before') !== 'table') return
  connection.exec(COPY_WORKFLOW_ROWS)
  if (!connection.get('SELECT 1 FROM agent_memories_before')) connection.exec('DROP TABLE agent_memories_before')
}
