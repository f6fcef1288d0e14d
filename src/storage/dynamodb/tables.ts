import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import { Connection, type DynamodbOptions } from './connection.ts'
import { TABLE_NAMES, TABLES, type TableName, WITH_TTL } from './schema.ts'
import { addIndex, createTable, describeTable, dropTable, enableTtl, hasTtl, type TableState } from './table-calls.ts'
import { indexesOf } from './table-definition.ts'

export interface TableOptions extends DynamodbOptions {
  /** Whether DynamoDB deletes expired items by its own clock; true unless told otherwise. */
  ttl?: boolean
}

export interface TableDescription {
  name: string
  /** As DynamoDB says it, such as ACTIVE; null: the table is not there. */
  status: string | null
  /** As DynamoDB counted them in the last hours. */
  items: number | null
  bytes: number | null
  /** Whether DynamoDB deletes expired items; null where nothing expires. */
  ttl: boolean | null
  missingIndexes: string[]
}

/**
 * Makes the tables that are not there, on demand capacity, and gives those that somebody else made the indexes and the expiry that
 * they lack. Many processes may do this at once. Returns what it changed.
 */
export async function createTables({ ttl = true, ...options }: TableOptions): Promise<string[]> {
  return withConnection(options, async (connection) => {
    const changed = await Promise.all(TABLE_NAMES.map((name) => complete(connection, name, ttl)))
    return changed.flat().sort()
  })
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

/** Deletes the tables with all they hold. Returns those that were there. */
export async function deleteTables(options: DynamodbOptions): Promise<string[]> {
  return withConnection(options, async (connection) => {
    const deleted = await Promise.all(TABLE_NAMES.map((name) => dropTable(connection, name)))
    return TABLE_NAMES.filter((_, i) => deleted[i]).map((name) => connection.table(name))
  })
}

async function complete(connection: Connection, name: TableName, ttl: boolean): Promise<string[]> {
  const table = connection.table(name)
  const changed: string[] = []
  let state = await describeTable(connection, name)
  if (state.status === null && (await createTable(connection, name))) changed.push(table)
  state = await active(connection, name)
  assertKeys(table, name, state)
  for (const index of indexesOf(name)) {
    if (state.indexes.has(index.IndexName!)) continue
    // DynamoDB makes one index of a table at a time.
    if (await addIndex(connection, name, index)) changed.push(`${table}/${index.IndexName}`)
    state = await active(connection, name)
  }
  if (ttl && WITH_TTL.includes(name) && !(await hasTtl(connection, name))) {
    await enableTtl(connection, name)
    if (!changed.includes(table)) changed.push(`${table}/ttl`)
  }
  return changed
}

/** Waits until the table and its indexes can be used. */
async function active(connection: Connection, name: TableName): Promise<TableState> {
  for (;;) {
    const state = await describeTable(connection, name)
    if (state.status === 'ACTIVE' && [...state.indexes.values()].every((status) => status === 'ACTIVE')) return state
    await sleep(200)
  }
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
