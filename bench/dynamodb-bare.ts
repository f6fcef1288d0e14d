import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { QueryCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { dot } from '../src/vector/dot.ts'
import { decodeFloat16, encodeFloat16 } from '../src/vector/float16.ts'
import { DIMENSIONS } from './synthetic.ts'

/** The number of memories that fill a transaction: four items each, plus three for the commit. */
const PER_TRANSACTION = 24

/** The bare client: the same items as the store, no reads, no checks of the text. */
export class BareClient {
  readonly #client: DynamoDBClient
  readonly #prefix: string
  #number = 0

  constructor(client: DynamoDBClient, prefix: string) {
    this.#client = client
    this.#prefix = prefix
  }

  /** Memory, pointer, history and vector of each, then the key of the commit and two counters. */
  async add(texts: readonly string[], vector: Float32Array): Promise<void> {
    for (let start = 0; start < texts.length; start += PER_TRANSACTION) {
      const put = (table: string, item: Record<string, AttributeValue>, key: string) => ({
        Put: {
          TableName: this.#prefix + table,
          Item: item,
          ConditionExpression: 'attribute_not_exists(#k)',
          ExpressionAttributeNames: { '#k': key },
        },
      })
      const count = (owner: string, shard: string) => ({
        Update: {
          TableName: `${this.#prefix}agent-memory-counters`,
          Key: { owner: { S: owner }, shard: { S: shard } },
          UpdateExpression: 'ADD writes :n',
          ExpressionAttributeValues: { ':n': { N: '1' } },
        },
      })
      const items = texts.slice(start, start + PER_TRANSACTION).flatMap((content) => {
        const id = `BARE${String(this.#number++).padStart(22, '0')}`
        const createdAt = new Date(1_800_000_000_000 + this.#number).toISOString()
        const [record, bytes] = [{ S: 'x'.repeat(480) }, { B: encodeFloat16(vector) }]
        const place = { agentProjectKey: { S: '@project#bare' }, createdAt: { S: createdAt } }
        const tokens = { S: JSON.stringify(content.split(' ')) }
        return [
          put(
            'agent-memories',
            { ...place, id: { S: id }, content: { S: content }, record, tokens, vector: bytes },
            'id',
          ),
          put('agent-memory-keys', { key: { S: `id=${id}` }, memory: { S: id }, ...place }, 'key'),
          put(
            'agent-memory-changes',
            { memory: { S: id }, version: { N: '1' }, record: { S: `${record.S}${content}` } },
            'memory',
          ),
          put('agent-memory-keys', { key: { S: `text=${id}` }, vector: bytes }, 'key'),
        ]
      })
      const commit = put('agent-memory-keys', { key: { S: `commit=bare ${this.#number}` }, changed: { N: '1' } }, 'key')
      const counters = [count('@bare', '0'), count('@project#bare', '@project#bare|0')]
      await this.#client.send(new TransactWriteItemsCommand({ TransactItems: [commit, ...items, ...counters] }))
    }
  }

  /** The newest items of a partition. */
  async list(partition: string, limit: number): Promise<number> {
    const { Items: items = [] } = await this.#client.send(
      new QueryCommand({ ...this.#of(partition), ScanIndexForward: false, Limit: limit }),
    )
    return items.length
  }

  /** Reads the partition, and compares every vector. */
  async search(partition: string, query: Float32Array): Promise<number> {
    let best = -1
    let start: Record<string, AttributeValue> | undefined
    do {
      const page = await this.#client.send(new QueryCommand({ ...this.#of(partition), ExclusiveStartKey: start }))
      for (const { vector } of page.Items ?? [])
        best = Math.max(best, dot(query, decodeFloat16(vector!.B!, DIMENSIONS)))
      start = page.LastEvaluatedKey
    } while (start)
    return best
  }

  #of(partition: string) {
    return {
      TableName: `${this.#prefix}agent-memories`,
      ConsistentRead: true,
      KeyConditionExpression: 'agentProjectKey = :p',
      ExpressionAttributeValues: { ':p': { S: partition } },
    }
  }
}
