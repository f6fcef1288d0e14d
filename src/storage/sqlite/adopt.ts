import { MemoryError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'
import { ENGINE_TABLES } from './migrations/tables.ts'

/** The columns an older tool's table needs for its rows to be memories. */
const REQUIRED_COLUMNS: Record<string, readonly string[]> = {
  memories: [
    ...['id', 'service', 'category', 'observation', 'confidence', 'active'],
    ...['created_at', 'updated_at', 'session_id', 'tier'],
  ],
  agent_memories: [
    ...['id', 'scope', 'scope_id', 'event_type', 'source', 'anchor', 'summary', 'details_json', 'tags'],
    ...['importance', 'expires_at', 'last_recalled_at', 'recall_count', 'created_at', 'updated_at'],
  ],
}
/** Tables shared with an older tool, if it has them. */
const SHARED = ['sessions', 'events']
const CREATED = /CREATE (?:VIRTUAL )?TABLE IF NOT EXISTS (\w+)/g
const OWN = [...ENGINE_TABLES.matchAll(CREATED)].map((match) => match[1]!).filter((name) => !SHARED.includes(name))

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

export function readColumns(connection: Connection, table: string): Column[] {
  return connection.all<Column>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', table)
}

export function addColumns(connection: Connection, table: string, columns: Record<string, string>): void {
  const present = new Set(readColumns(connection, table).map((column) => column.name))
  for (const [name, definition] of Object.entries(columns)) {
    if (!present.has(name)) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`)
  }
}

/** Refuses a file that is neither empty nor an older tool's memory, before changing anything in it. */
export function assertAdoptable(connection: Connection, applicationId: number): void {
  const tables = connection
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .map((row) => row.name)
  const refuse = (why: string) => {
    throw foreign(why, tables)
  }
  if (applicationId !== 0) refuse('its header says so')
  if (tables.length > 0 && !tables.some((name) => name in REQUIRED_COLUMNS))
    refuse('it contains tables, but no memories')
  for (const table of tables) {
    const columns = readColumns(connection, table)
    const missing = REQUIRED_COLUMNS[table]?.find((name) => !columns.some((column) => column.name === name))
    if (missing) refuse(`its table ${table} has no column ${missing}`)
    if (OWN.includes(table)) refuse(`it has a table ${table} of its own`)
    const id = columns.find((column) => column.name === 'id')
    if (SHARED.includes(table) && !(id?.pk && /^INTEGER$/i.test(id.type)))
      refuse(`the ids of its ${table} are not numbers`)
  }
}

/** Refuses a file that already has tables we need to create: they belong to another tool. */
export function assertFree(connection: Connection, tables: string): void {
  for (const [, name] of tables.matchAll(CREATED)) {
    if (connection.get('SELECT 1 FROM sqlite_schema WHERE name = ?', name!))
      throw foreign(`it has a table ${name} of its own`, [name!])
  }
}

function foreign(why: string, tables: readonly string[]): MemoryError {
  const message = `The database belongs to another program: ${why}. Choose another file with --db or NOKOSU_DB.`
  return new MemoryError('PROVIDER_ERROR', message, { retryable: false, details: { tables: tables.slice(0, 10) } })
}

/**
 * Makes the columns of an older tool's table nullable, since the engine does not fill them. SQLite must rebuild the
 * table for that, with foreign keys off.
 */
export function relaxColumns(connection: Connection, table: string): void {
  const columns = readColumns(connection, table)
  if (!columns.some((column) => isDemanding(column))) return
  const attached = connection.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL`,
    table,
  )
  const last = connection.get<{ seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?', table)?.seq
  const definitions = columns.map((column) => {
    const name = quoteName(column.name)
    if (column.pk) return `${name} INTEGER PRIMARY KEY AUTOINCREMENT`
    const fallback = column.dflt_value === null ? '' : ` DEFAULT (${column.dflt_value})`
    return `${name} ${column.type}${column.notnull && !isDemanding(column) ? ' NOT NULL' : ''}${fallback}`
  })
  const names = columns.map((column) => quoteName(column.name)).join(', ')
  connection.exec(`CREATE TABLE ${table}_relaxed (${definitions.join(', ')});
    INSERT INTO ${table}_relaxed (${names}) SELECT ${names} FROM ${table};
    DROP TABLE ${table};
    ALTER TABLE ${table}_relaxed RENAME TO ${table}`)
  for (const { sql } of attached) connection.exec(sql)
  if (last !== undefined) connection.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', last, table)
}

function isDemanding(column: Column): boolean {
  return column.notnull === 1 && column.dflt_value === null && column.pk === 0
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
