import { setTimeout as sleep } from 'node:timers/promises'
import type {
  DynamoDBClient,
  QueryCommandInput,
  ScanCommandInput,
  TransactWriteItem,
  WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { MemoryError } from '../../model/errors.ts'
import type { VectorModel } from '../storage.ts'
import { type Item, numberOf, type PlainItem, toItem } from './attributes.ts'
import { mapBounded } from './bounded.ts'
import { NUMBERS, SCHEMA_KEY, SCHEMA_VERSION, TABLE_NAMES, TABLES, type TableName } from './schema.ts'
import { translateError } from './translate-error.ts'

export interface VectorsOptions {
  /** An S3 vector bucket, which exists. Its index is made when it is first needed. */
  bucket: string
  /** For servers other than Amazon's. */
  endpoint?: string
  /** Scopes of this many memories or more are searched there. Default 50,000. */
  from?: number
  /** How many changes of a scope the index may lack before they are put into it. Default 500. */
  behind?: number
}

export interface DynamodbOptions {
  region?: string
  /** For servers other than Amazon's, such as DynamoDB Local. */
  endpoint?: string
  /** Prefix of every table name, such as `prod-`. */
  prefix?: string
  /** Milliseconds to wait for an answer. Default 5000. */
  timeoutMs?: number
  /**
   * Where copies of large partitions are kept on this machine, readable by its user only; false: nowhere. Default:
   * `nokosu/dynamodb` in the user's cache folder.
   */
  cache?: string | false
  /** An index of vectors in Amazon S3 Vectors, for very large scopes. Default: none. */
  vectors?: VectorsOptions
  /** Default: the environment's, as the SDK finds them. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
}

type Sdk = typeof import('@aws-sdk/client-dynamodb')

/** Limits on the keys of a BatchGetItem and the writes of a BatchWriteItem. */
const GETS = 100
const WRITES = 25
/** Requests of one call that are under way at once. */
const AT_ONCE = 8
/** Attempts for items DynamoDB left unprocessed; the last waits take seconds. */
const TRIES = 12

/** Milliseconds after which a server that does not answer counts as unreachable. */
export const TIMEOUT_MS = 5000
export const CONNECTION_TIMEOUT_MS = 3000

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-dynamodb')
  } catch (cause) {
    const text = 'A DynamoDB store needs the AWS SDK. Install it: npm install @aws-sdk/client-dynamodb'
    throw new MemoryError('MISSING_DEPENDENCY', text, { details: { package: '@aws-sdk/client-dynamodb' }, cause })
  }
}

/** The client, loaded on first use. Translates all errors. Reads are strongly consistent. */
export class Connection {
  /** The current embedding model; null until the store is initialized. */
  model: VectorModel | null = null
  readonly #options: DynamodbOptions
  #loading: Promise<{ sdk: Sdk; client: DynamoDBClient }> | null = null

  constructor(options: DynamodbOptions) {
    this.#options = options
  }

  table(name: TableName): string {
    return `${this.#options.prefix ?? ''}${name}`
  }

  /** The engine does all retries, so the client makes none. */
  async use<Result>(call: (client: DynamoDBClient, sdk: Sdk) => Promise<Result>): Promise<Result> {
    const { region, endpoint, credentials, timeoutMs: socketTimeout = TIMEOUT_MS } = this.#options
    this.#loading ??= loadSdk().then((sdk) => {
      const client = new sdk.DynamoDBClient({
        maxAttempts: 1,
        requestHandler: { connectionTimeout: Math.min(CONNECTION_TIMEOUT_MS, socketTimeout), socketTimeout },
        ...(region ? { region } : {}),
        ...(endpoint ? { endpoint } : {}),
        ...(credentials ? { credentials } : {}),
      })
      return { sdk, client }
    })
    try {
      const { client, sdk } = await this.#loading
      return await call(client, sdk)
    } catch (error) {
      if (MemoryError.is(error) && error.code === 'MISSING_DEPENDENCY') this.#loading = null
      throw translateError(error)
    }
  }

  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => null)
    loaded?.client.destroy()
  }

  /** Reads one item of every table. Refuses a store of a version that this program does not know. */
  async touch(): Promise<void> {
    const required = await this.requiredVersion()
    if (required <= SCHEMA_VERSION) return
    const text = `The tables were written by a newer Nokosu (schema ${required}; this one knows ${SCHEMA_VERSION}). Upgrade Nokosu to open them.`
    const details = { databaseVersion: required, knownVersion: SCHEMA_VERSION }
    throw new MemoryError('PROVIDER_ERROR', text, { retryable: false, details })
  }

  /** The oldest version that a program of this store must know. */
  async requiredVersion(): Promise<number> {
    const named = (name: TableName) =>
      toItem(Object.fromEntries(TABLES[name].keys.map((key) => [key, NUMBERS.has(key) ? 0 : SCHEMA_KEY])))
    const RequestItems = Object.fromEntries(TABLE_NAMES.map((name) => [this.table(name), { Keys: [named(name)] }]))
    const answer = await this.use((client, sdk) => client.send(new sdk.BatchGetItemCommand({ RequestItems })))
    const [schema] = answer.Responses?.[this.table('agent-memory-keys')] ?? []
    return (schema && numberOf(schema, 'required')) ?? 0
  }

  /** The items with these keys, in any order; missing ones are left out. `only`: an expression that names attributes. */
  async get(name: TableName, keys: readonly PlainItem[], only: string | null = null): Promise<Item[]> {
    const table = this.table(name)
    const projection = only === null ? {} : { ProjectionExpression: only }
    if (keys.length === 1) {
      // Nearly all calls have one key, and a single get takes little more than half the time of a batch.
      const Key = toItem(keys[0]!)
      const { Item: item } = await this.use((client, sdk) =>
        client.send(new sdk.GetItemCommand({ TableName: table, Key, ConsistentRead: true, ...projection })),
      )
      return item ? [item] : []
    }
    const parts = Array.from({ length: Math.ceil(keys.length / GETS) }, (_, i) => keys.slice(i * GETS, (i + 1) * GETS))
    const found = await mapBounded(parts, AT_ONCE, async (part) => {
      const items: Item[] = []
      let left = part.map(toItem)
      for (let attempt = 0; left.length > 0; attempt++) {
        await pause(attempt)
        const answer = await this.use((client, sdk) =>
          client.send(
            new sdk.BatchGetItemCommand({
              RequestItems: { [table]: { Keys: left, ConsistentRead: true, ...projection } },
            }),
          ),
        )
        items.push(...(answer.Responses?.[table] ?? []))
        left = answer.UnprocessedKeys?.[table]?.Keys ?? []
      }
      return items
    })
    return found.flat()
  }

  /** All items of a query, read page by page, or the first `most`. */
  async query(name: TableName, input: Omit<QueryCommandInput, 'TableName'>, most = Infinity): Promise<Item[]> {
    const found: Item[] = []
    let start: Item | null = null
    do {
      const { items, end } = await this.page(name, {
        ...input,
        ...(start ? { ExclusiveStartKey: start } : {}),
        ...(Number.isFinite(most) ? { Limit: most - found.length } : {}),
      })
      found.push(...items)
      start = end
    } while (start && found.length < most)
    return found
  }

  /** One page of a query, and where it ended if there is more. A table is read consistently; an index cannot be. */
  async page(
    name: TableName,
    input: Omit<QueryCommandInput, 'TableName'>,
  ): Promise<{ items: Item[]; end: Item | null }> {
    const answer = await this.use((client, sdk) =>
      client.send(
        new sdk.QueryCommand({
          ConsistentRead: input.IndexName === undefined,
          ...input,
          TableName: this.table(name),
        }),
      ),
    )
    return { items: answer.Items ?? [], end: answer.LastEvaluatedKey ?? null }
  }

  /** All items of a table, or the first `most` after a key. */
  async scan(name: TableName, input: Partial<ScanCommandInput> = {}, most = Infinity): Promise<Item[]> {
    const found: Item[] = []
    for await (const items of this.pages(name, input, most)) found.push(...items)
    return found
  }

  /** The same, one page (a megabyte) at a time. */
  async *pages(name: TableName, input: Partial<ScanCommandInput> = {}, most = Infinity): AsyncGenerator<Item[]> {
    let start = input.ExclusiveStartKey ?? null
    let left = most
    do {
      const { items, end } = await this.scanPage(name, {
        ...input,
        ...(start ? { ExclusiveStartKey: start } : {}),
        ...(Number.isFinite(left) ? { Limit: left } : {}),
      })
      yield items
      left -= items.length
      start = end
    } while (start && left > 0)
  }

  /** One page of a table, and where it ended if there is more. */
  async scanPage(name: TableName, input: Partial<ScanCommandInput>): Promise<{ items: Item[]; end: Item | null }> {
    const answer = await this.use((client, sdk) =>
      client.send(new sdk.ScanCommand({ ConsistentRead: true, ...input, TableName: this.table(name) })),
    )
    return { items: answer.Items ?? [], end: answer.LastEvaluatedKey ?? null }
  }

  put(name: TableName, items: readonly PlainItem[]): Promise<void> {
    return this.#write(
      name,
      items.map((item) => ({ PutRequest: { Item: toItem(item) } })),
    )
  }

  remove(name: TableName, keys: readonly PlainItem[]): Promise<void> {
    return this.#write(
      name,
      keys.map((key) => ({ DeleteRequest: { Key: toItem(key) } })),
    )
  }

  async #write(name: TableName, requests: readonly WriteRequest[]): Promise<void> {
    const table = this.table(name)
    for (let start = 0; start < requests.length; start += WRITES) {
      let left = requests.slice(start, start + WRITES)
      for (let attempt = 0; left.length > 0; attempt++) {
        await pause(attempt)
        const answer = await this.use((client, sdk) =>
          client.send(new sdk.BatchWriteItemCommand({ RequestItems: { [table]: left } })),
        )
        left = answer.UnprocessedItems?.[table] ?? []
      }
    }
  }

  async transact(items: readonly TransactWriteItem[]): Promise<void> {
    await this.use((client, sdk) => client.send(new sdk.TransactWriteItemsCommand({ TransactItems: [...items] })))
  }
}

/** Exponential with jitter; no wait before the first attempt. */
export async function pause(attempt: number): Promise<void> {
  if (attempt === 0) return
  if (attempt > TRIES) throw translateError(Object.assign(new Error('busy'), { name: 'ThrottlingException' }))
  await sleep(Math.min(2000, 10 * 2 ** attempt) * (0.5 + Math.random() / 2))
}
