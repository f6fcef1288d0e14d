import type { GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb'
import { MemoryError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'
import { type TableName, TTL_ATTRIBUTE } from './schema.ts'
import { attributesOf, tableDefinition } from './table-definition.ts'

export interface TableState {
  /** DynamoDB's status, such as ACTIVE; null if the table does not exist. */
  status: string | null
  keys: string[]
  indexes: ReadonlyMap<string, string>
  items: number | null
  bytes: number | null
}

export async function describeTable(connection: Connection, name: TableName): Promise<TableState> {
  const answer = await unless('ResourceNotFoundException', () =>
    connection.use((client, sdk) => client.send(new sdk.DescribeTableCommand({ TableName: connection.table(name) }))),
  )
  const { TableStatus, ItemCount, TableSizeBytes, KeySchema = [], GlobalSecondaryIndexes = [] } = answer?.Table ?? {}
  return {
    status: TableStatus ?? null,
    keys: KeySchema.map(({ AttributeName }) => AttributeName!),
    indexes: new Map(GlobalSecondaryIndexes.map(({ IndexName, IndexStatus }) => [IndexName!, IndexStatus!])),
    items: ItemCount ?? null,
    bytes: TableSizeBytes ?? null,
  }
}

/** False if another process is creating it right now. */
export async function createTable(connection: Connection, name: TableName): Promise<boolean> {
  const made = await unless('ResourceInUseException', () =>
    connection.use((client, sdk) =>
      client.send(new sdk.CreateTableCommand(tableDefinition(name, connection.table(name)))),
    ),
  )
  return made !== null
}

/** False if another process is creating it right now. */
export async function addIndex(connection: Connection, name: TableName, index: GlobalSecondaryIndex): Promise<boolean> {
  const made = await unless('ResourceInUseException', () =>
    connection.use((client, sdk) =>
      client.send(
        new sdk.UpdateTableCommand({
          TableName: connection.table(name),
          AttributeDefinitions: attributesOf(name),
          GlobalSecondaryIndexUpdates: [{ Create: { ...index } }],
        }),
      ),
    ),
  )
  return made !== null
}

/** False if it did not exist. */
export async function dropTable(connection: Connection, name: TableName): Promise<boolean> {
  const dropped = await unless('ResourceNotFoundException', () =>
    connection.use((client, sdk) => client.send(new sdk.DeleteTableCommand({ TableName: connection.table(name) }))),
  )
  return dropped !== null
}

export async function hasTtl(connection: Connection, name: TableName): Promise<boolean> {
  const { TimeToLiveDescription: found } = await connection.use((client, sdk) =>
    client.send(new sdk.DescribeTimeToLiveCommand({ TableName: connection.table(name) })),
  )
  return found?.AttributeName === TTL_ATTRIBUTE && /^ENABL/.test(found.TimeToLiveStatus ?? '')
}

export async function enableTtl(connection: Connection, name: TableName): Promise<void> {
  await connection.use((client, sdk) =>
    client.send(
      new sdk.UpdateTimeToLiveCommand({
        TableName: connection.table(name),
        TimeToLiveSpecification: { Enabled: true, AttributeName: TTL_ATTRIBUTE },
      }),
    ),
  )
}

/** Null if the call fails with the DynamoDB error of this name. */
async function unless<Result>(name: string, call: () => Promise<Result>): Promise<Result | null> {
  try {
    return await call()
  } catch (error) {
    if (MemoryError.is(error) && error.details.dynamodb === name) return null
    throw error
  }
}
