import { createHash, randomBytes } from 'node:crypto'
import type { ListIndexesCommandOutput, QueryVectorsCommandOutput, S3VectorsClient } from '@aws-sdk/client-s3vectors'
import { MemoryError } from '../../model/errors.ts'
import type { VectorModel } from '../storage.ts'
import { CONNECTION_TIMEOUT_MS, type DynamodbOptions, pause, TIMEOUT_MS, type VectorsOptions } from './connection.ts'
import { translateVectorError } from './translate-error.ts'

export interface OuterVector {
  key: string
  /** The partition, and the hash of the text. */
  metadata: { p: string; h: string }
}

type Sdk = typeof import('@aws-sdk/client-s3vectors')

/** The service's limits for one request. */
const PUTS = 500
const PUT_BYTES = 15_000_000
const DIGITS = 14
export const MOST_NEIGHBOURS = 10_000

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3vectors')
  } catch (cause) {
    const text =
      'An index of vectors outside the store needs the SDK of S3 Vectors. Install it: npm install @aws-sdk/client-s3vectors'
    throw new MemoryError('MISSING_DEPENDENCY', text, { details: { package: '@aws-sdk/client-s3vectors' }, cause })
  }
}

/** The index of one store and model in Amazon S3 Vectors. The SDK is loaded on first use. */
export class VectorService {
  /** What the names of this store's indexes for this model begin with. */
  readonly base: string
  readonly #options: DynamodbOptions
  readonly #bucket: string
  readonly #dimensions: number
  #loading: Promise<{ sdk: Sdk; client: S3VectorsClient }> | null = null

  constructor(options: DynamodbOptions & { vectors: VectorsOptions }, { name, dimensions }: VectorModel) {
    this.#options = options
    this.#bucket = options.vectors.bucket
    this.#dimensions = dimensions
    this.base = `${storeName(options)}${digest(`${name} ${dimensions}`, 12)}`
  }

  /** Returns its name. */
  async create(): Promise<string> {
    const indexName = `${this.base}-${randomBytes(6).toString('hex')}`
    await this.#use((client, sdk) =>
      client.send(
        new sdk.CreateIndexCommand({
          ...this.#place(indexName),
          ...{ dataType: 'float32', dimension: this.#dimensions, distanceMetric: 'cosine' },
        }),
      ),
    )
    return indexName
  }

  async exists(index: string): Promise<boolean> {
    const found = await this.#unlessGone((client, sdk) => client.send(new sdk.GetIndexCommand(this.#place(index))))
    return found !== null
  }

  /** `extend` is called before each request. False if there is no index. */
  async put(
    index: string,
    vectors: readonly (OuterVector & { vector: Float32Array })[],
    extend: () => Promise<void>,
  ): Promise<boolean> {
    const most = Math.max(1, Math.min(PUTS, Math.floor(PUT_BYTES / (this.#dimensions * DIGITS))))
    for (let start = 0; start < vectors.length; start += most) {
      await extend()
      const part = vectors.slice(start, start + most)
      const input = part.map(({ key, metadata, vector }) => ({ key, metadata, data: { float32: [...vector] } }))
      const put = await this.#patiently((client, sdk) =>
        client.send(new sdk.PutVectorsCommand({ ...this.#place(index), vectors: input })),
      )
      if (put === null) return false
    }
    return true
  }

  /** Keys that are not there do not matter. False if there is no index. */
  async remove(index: string, keys: readonly string[]): Promise<boolean> {
    for (let start = 0; start < keys.length; start += PUTS) {
      const part = keys.slice(start, start + PUTS)
      const removed = await this.#patiently((client, sdk) =>
        client.send(new sdk.DeleteVectorsCommand({ ...this.#place(index), keys: part })),
      )
      if (removed === null) return false
    }
    return true
  }

  /** The nearest of a partition, best first. null if there is no index. */
  async query(index: string, vector: Float32Array, partition: string, topK: number): Promise<OuterVector[] | null> {
    const found: OuterVector[] = []
    let nextToken: string | undefined
    do {
      const token = nextToken === undefined ? {} : { nextToken }
      const answer: QueryVectorsCommandOutput | null = await this.#unlessGone((client, sdk) =>
        client.send(
          new sdk.QueryVectorsCommand({
            ...this.#place(index),
            ...{ topK, queryVector: { float32: [...vector] }, filter: { p: { $eq: partition } } },
            ...{ returnMetadata: true, ...token },
          }),
        ),
      )
      if (answer === null) return null
      for (const { key, metadata } of answer.vectors ?? [])
        found.push({ key: key!, metadata: metadata as OuterVector['metadata'] })
      nextToken = answer.nextToken
    } while (nextToken !== undefined)
    return found
  }

  /** All keys with their metadata, page by page. */
  async *list(index: string): AsyncGenerator<OuterVector[]> {
    let nextToken: string | undefined
    do {
      const token = nextToken === undefined ? {} : { nextToken }
      const answer = await this.#use((client, sdk) =>
        client.send(
          new sdk.ListVectorsCommand({ ...this.#place(index), maxResults: 1000, returnMetadata: true, ...token }),
        ),
      )
      yield (answer.vectors ?? []).map(({ key, metadata }) => ({
        key: key!,
        metadata: metadata as OuterVector['metadata'],
      }))
      nextToken = answer.nextToken
    } while (nextToken !== undefined)
  }

  async drop(index: string): Promise<void> {
    await this.#unlessGone((client, sdk) => client.send(new sdk.DeleteIndexCommand(this.#place(index))))
  }

  /** The indexes of the store, of all models, that were made before this time. Fails if there is no such bucket. */
  async all(before = Infinity): Promise<string[]> {
    const request = { vectorBucketName: this.#bucket, prefix: storeName(this.#options) }
    const found: string[] = []
    let nextToken: string | undefined
    do {
      const token = nextToken === undefined ? {} : { nextToken }
      const answer: ListIndexesCommandOutput = await this.#use((client, sdk) =>
        client.send(new sdk.ListIndexesCommand({ ...request, ...token })),
      )
      for (const { indexName, creationTime } of answer.indexes ?? [])
        if (creationTime!.getTime() < before) found.push(indexName!)
      nextToken = answer.nextToken
    } while (nextToken !== undefined)
    return found
  }

  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => null)
    loaded?.client.destroy()
  }

  #place(indexName: string) {
    return { vectorBucketName: this.#bucket, indexName }
  }

  async #use<Result>(call: (client: S3VectorsClient, sdk: Sdk) => Promise<Result>): Promise<Result> {
    const { region, credentials, vectors, timeoutMs: socketTimeout = TIMEOUT_MS } = this.#options
    this.#loading ??= loadSdk().then((sdk) => {
      const client = new sdk.S3VectorsClient({
        maxAttempts: 1,
        requestHandler: { connectionTimeout: Math.min(CONNECTION_TIMEOUT_MS, socketTimeout), socketTimeout },
        ...(region ? { region } : {}),
        ...(vectors?.endpoint ? { endpoint: vectors.endpoint } : {}),
        ...(credentials ? { credentials } : {}),
      })
      return { sdk, client }
    })
    try {
      const { client, sdk } = await this.#loading
      return await call(client, sdk)
    } catch (error) {
      if (MemoryError.is(error) && error.code === 'MISSING_DEPENDENCY') this.#loading = null
      throw translateVectorError(error, this.#bucket)
    }
  }

  /** Null if the bucket has no such index. The service gives one name to both errors. */
  async #unlessGone<Result>(call: (client: S3VectorsClient, sdk: Sdk) => Promise<Result>): Promise<Result | null> {
    try {
      return await this.#use(call)
    } catch (error) {
      if (!MemoryError.is(error) || error.details.s3vectors !== 'NotFoundException') throw error
      await this.all()
      return null
    }
  }

  /** Writing into the index has time: it waits while the service is busy. null if there is no index. */
  async #patiently<Result>(call: (client: S3VectorsClient, sdk: Sdk) => Promise<Result>): Promise<Result | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#unlessGone(call)
      } catch (error) {
        if (!MemoryError.is(error) || !error.retryable || attempt > PATIENCE) throw error
        await pause(attempt + 3)
      }
    }
  }
}

const PATIENCE = 6

export async function deleteIndexes({ vectors, ...options }: DynamodbOptions): Promise<void> {
  if (!vectors) return
  const service = new VectorService({ ...options, vectors }, { name: '', dimensions: 1 })
  try {
    for (const index of await service.all()) await service.drop(index)
  } finally {
    await service.close()
  }
}

/** What the names of a store's indexes begin with. */
function storeName({ prefix = '' }: DynamodbOptions): string {
  return `nokosu-${digest(prefix, 12)}-`
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}
