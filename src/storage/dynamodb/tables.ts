import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import { Connection, type DynamodbOptions } from './connection.ts'
import { hideEarlier } from './hide-earlier.ts'
import { LocalCopies } from './local-copies.ts'
import { PREVIOUS_VERSION, SCHEMA_KEY, TABLE_NAMES, TABLES, type TableName, WITH_TTL } from './schema.ts'
import { addIndex, createTable, describeTable, dropTable, enableTtl, hasTtl, type TableState } from './table-calls.ts'
import { indexesOf } from './table-definition.ts'
import { deleteIndexes } from './vector-service.ts'

/** Building an index on a large table takes minutes. */
const PATIENCE_MS = 10 * 60_000

export interface TableOptions extends DynamodbOptions {
  /** Whether DynamoDB deletes expired items itself. Default: true. */
  ttl?: boolean
}

export interface TableDescription {
  name: string
  /** DynamoDB's status, such as ACTIVE; null if the table does not exist. */
  status: string | null
  /** DynamoDB's item count, up to six hours old. */
  items: number | null
  bytes: number | null
  /** Whether DynamoDB deletes expired items; null if nothing in it expires. */
  ttl: boolean | null
  missingIndexes: string[]
}

/**
 * Creates missing tables with on-demand capacity, and adds missing indexes and expiry to existing tables. Safe to run
 * in several processes at once. Returns what it changed.
 */
export async function createTables({ ttl = true, ...options }: TableOptions): Promise<string[]> {
  return withConnection(options, async (connection) => {
    const made = await Promise.all(TABLE_NAMES.map((name) => make(connection, name)))
    const changed = made.flat()
    // One table at a time: DynamoDB Local may never finish an index that is started while tables are being created.
    for (const name of TABLE_NAMES) changed.push(...(await complete(connection, name, ttl, changed)))
    const required = await connection.requiredVersion()
    if (required < PREVIOUS_VERSION) {
      await connection.put('agent-memory-keys', [{ key: SCHEMA_KEY, required: PREVIOUS_VERSION }])
    }
    return changed.sort()
  })
}

/**
 * Adds what later versions need to the tables of a store, and hides what earlier ones left open to other programs. Returns
 * what is missing, or was.
 */
export async function upgradeTables(options: DynamodbOptions, dryRun: boolean): Promise<string[]> {
  const tables = await describeTables(options)
  if (tables.every(({ status }) => status === null)) {
    const text =
      'There are no tables of this store. Make them: nokosu tables create; or check the prefix and the region.'
    throw new MemoryError('CONFIGURATION_ERROR', text, { details: { key: 'db' } })
  }
  const missing = tables.flatMap(({ name, status, missingIndexes }) =>
    status === null ? [name] : missingIndexes.map((index) => `${name}/${index}`),
  )
  // Expiry stays as its owner set it.
  if (!dryRun) await createTables({ ...options, ttl: tables.some(({ ttl }) => ttl === true) })
  const mayHide = !dryRun || missing.length === 0
  const hidden = mayHide ? await withConnection(options, (connection) => hideEarlier(connection, dryRun)) : 0
  return hidden > 0 ? [...missing, `memories hidden from other programs: ${hidden}`] : missing
}

export async function describeTables(options: DynamodbOptions): Promise<TableDescription[]> {
  return withConnection(options, (connection) =>
    Promise.all(
      TABLE_NAMES.map(async (name) => {
        const { status, items, bytes, indexes } = await describeTable(connection, name)
        const ttl = status !== null && WITH_TTL.includes(name) ? await hasTtl(connection, name) : null
        const missingIndexes = indexesOf(name).flatMap(({ IndexName }) => (indexes.has(IndexName!) ? [] : [IndexName!]))
        return { name: connection.table(name), status, items, bytes, ttl, missingIndexes }
      }),
    ),
  )
}

/** Deletes the tables and their contents, with the copies on this machine and the indexes of vectors. Returns those that existed. */
export async function deleteTables(options: DynamodbOptions): Promise<string[]> {
  return withConnection(options, async (connection) => {
    const deleted = await Promise.all(TABLE_NAMES.map((name) => dropTable(connection, name)))
    await new LocalCopies(options).remove()
    await deleteIndexes(options)
    return TABLE_NAMES.filter((_, i) => deleted[i]).map((name) => connection.table(name))
  })
}

async function make(connection: Connection, name: TableName): Promise<string[]> {
  const { status } = await describeTable(connection, name)
  const isMade = status === null && (await createTable(connection, name))
  await active(connection, name)
  return isMade ? [connection.table(name)] : []
}

async function complete(
  connection: Connection,
  name: TableName,
  ttl: boolean,
  made: readonly string[],
): Promise<string[]> {
  const table = connection.table(name)
  const added: string[] = []
  let state = await describeTable(connection, name)
  assertKeys(table, name, state)
  for (const index of indexesOf(name)) {
    if (state.indexes.has(index.IndexName!)) continue
    // DynamoDB builds one index of a table at a time.
    if (await addIndex(connection, name, index)) added.push(`${table}/${index.IndexName}`)
    state = await active(connection, name)
  }
  if (ttl && WITH_TTL.includes(name) && !(await hasTtl(connection, name))) {
    await enableTtl(connection, name)
    if (!made.includes(table)) added.push(`${table}/ttl`)
  }
  return added
}

async function active(connection: Connection, name: TableName): Promise<TableState> {
  for (const start = performance.now(); ; await sleep(200)) {
    const state = await describeTable(connection, name)
    if (state.status === 'ACTIVE' && [...state.indexes.values()].every((status) => status === 'ACTIVE')) return state
    if (performance.now() - start > PATIENCE_MS) throw unfinished(connection.table(name))
  }
}

function unfinished(table: string): MemoryError {
  const text = `DynamoDB is still making ${table} or its indexes, which can take long for a large table. Check again later: nokosu tables describe.`
  return new MemoryError('PROVIDER_ERROR', text, { retryable: false, details: { table } })
}

function assertKeys(table: string, name: TableName, { keys }: TableState): void {
  const wanted = TABLES[name].keys
  if (keys.join() === wanted.join()) return
  const text = `The table ${table} has the key ${keys.join(', ')}; this store needs ${wanted.join(', ')}. Use another prefix.`
  throw new MemoryError('CONFIGURATION_ERROR', text, { details: { table, keys, wanted: [...wanted] } })
}

async function withConnection<Result>(
  options: DynamodbOptions,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = new Connection(options)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}
