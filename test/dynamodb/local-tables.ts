import { inject } from 'vitest'
import { MemoryError } from '../../src/model/errors.ts'
import { Connection, type DynamodbOptions } from '../../src/storage/dynamodb/connection.ts'
import { TABLE_NAMES, TABLES } from '../../src/storage/dynamodb/schema.ts'
import { askDesk } from '../on-demand.ts'

/** How the DynamoDB Local of this run is reached. */
export async function localOptions(): Promise<Required<Pick<DynamodbOptions, 'region' | 'endpoint' | 'credentials'>>> {
  const endpoint = await askDesk(inject('dynamodb'))
  return { region: 'local', endpoint, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
}

/** Takes every item out of the tables of a prefix; tables that were never made are left alone. */
export async function emptyTables(options: DynamodbOptions): Promise<void> {
  const connection = new Connection(options)
  try {
    await Promise.all(
      TABLE_NAMES.map(async (name) => {
        const items = await connection.scan(name)
        const keys = items.map((item) =>
          Object.fromEntries(TABLES[name].keys.map((key) => [key, item[key]?.S ?? Number(item[key]?.N)])),
        )
        await connection.remove(name, keys)
      }),
    )
  } catch (error) {
    if (!(MemoryError.is(error) && error.code === 'CONFIGURATION_ERROR')) throw error
  } finally {
    await connection.close()
  }
}
