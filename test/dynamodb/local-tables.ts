import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { type MemoryOptions, openMemory } from '../../src/engine/open-memory.ts'
import { MemoryError } from '../../src/model/errors.ts'
import { Connection, type DynamodbOptions } from '../../src/storage/dynamodb/connection.ts'
import { createTables, deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { TABLE_NAMES, TABLES } from '../../src/storage/dynamodb/schema.ts'
import { askDesk } from '../on-demand.ts'
import { type FaultyProxy, startProxy } from './proxy.ts'

/** Connection options for the DynamoDB Local of this run. */
export async function localOptions(): Promise<
  Required<Pick<DynamodbOptions, 'region' | 'endpoint' | 'credentials' | 'timeoutMs' | 'cache'>>
> {
  const endpoint = await askDesk(inject('dynamodb'))
  // A busy machine still answers.
  return {
    region: 'local',
    endpoint,
    timeoutMs: 240_000,
    cache: false,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }
}

/** Options for a store with its own tables, because all test files share one server. */
export async function ownTables() {
  return { ...(await localOptions()), prefix: ownPrefix() }
}

export function ownPrefix(): string {
  return `t${randomBytes(6).toString('hex')}-`
}

/** Deletes every item from the tables with a prefix; missing tables are skipped. */
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

/** A store of its own for one test. */
export interface Place {
  options: DynamodbOptions & { endpoint: string; prefix: string }
  /** Another engine on the same store. It is shut down when the test ends. */
  open(options?: MemoryOptions): Promise<Nokosu>
  /** Another engine, with its calls going through a proxy. */
  behindProxy(options?: MemoryOptions): Promise<{ memory: Nokosu; proxy: FaultyProxy }>
}

export async function place(): Promise<Place> {
  const options = await ownTables()
  await createTables({ ...options, ttl: false })
  // DynamoDB Local allows 256 tables, shared by all test files.
  onTestFinished(async () => {
    await deleteTables(options)
  })
  const open = async (endpoint: string, more: MemoryOptions = {}) => {
    const storage = dynamodbStorage({ ...options, endpoint })
    const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null, ...more })
    onTestFinished(() => memory.shutdown())
    return memory
  }
  return {
    options,
    open: (more) => open(options.endpoint, more),
    async behindProxy(more) {
      const proxy = await startProxy(options.endpoint)
      onTestFinished(() => proxy.close())
      return { proxy, memory: await open(proxy.endpoint, more) }
    },
  }
}
