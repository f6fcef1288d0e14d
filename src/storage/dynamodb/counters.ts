import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Layer } from '../../model/layer.ts'
import { jsonOr } from '../../text/json.ts'
import type { Row } from '../reference/data.ts'
import type { StorageStats } from '../upkeep.ts'
import { type Item, numberOf, textOf, toAttribute, toItem } from './attributes.ts'
import type { Connection } from './connection.ts'
import { feedItem } from './feed.ts'
import { keyIs } from './item-conditions.ts'
import { type Lane, type Marks, SHARDS, shardKey } from './lanes.ts'
import { isSamePlace, type Place } from './place.ts'
import { type Counted, countedOf } from './scope-key.ts'

/** Each shard of the figures has a key of its own, so that they share no partition of DynamoDB. */
const STATS = '@stats'
/** Beside the counter of a partition: the name of its copies. */
const COPIES = 'copies'

/** The values of a partition's counter. */
export interface Counter {
  marks: Marks
  /** The name of copies on disk; null if there is none yet. See `LocalCopies`. */
  copies: string | null
  /** By the name of an index of vectors: it has every write up to these marks. See `Vectors`. */
  indexed: ReadonlyMap<string, Marks>
}

/** Before the name of an index. */
export const INDEXED = 'vectors:'

export function indexedOf(item: Item): Marks | null {
  const marks = jsonOr(textOf(item, 'marks') ?? '', null) as [string, number][] | null
  return marks && new Map(marks)
}

export class Counting {
  readonly #figures = new Map<string, number>()
  readonly #written = new Map<string, Counted & { places: Place[] }>()

  add(figure: string, difference: number): void {
    this.#figures.set(figure, (this.#figures.get(figure) ?? 0) + difference)
  }

  row({ memory, embedding }: Row, sign: 1 | -1): void {
    this.add(`memories ${memory.layer}`, sign)
    if (memory.active) this.add('active', sign)
    if (embedding) this.add(`model ${embedding.model}`, sign)
  }

  write({ memory }: Row, place: Place): void {
    const counted = countedOf(memory)
    const written = this.#written.get(counted.partition) ?? { ...counted, places: [] }
    if (!written.places.some((each) => isSamePlace(each, place))) written.places.push(place)
    this.#written.set(counted.partition, written)
  }

  get partitions(): Counted[] {
    return [...this.#written.values()]
  }

  /** Counts each write on its lane and adds it to the feed. `at` is in milliseconds. */
  updates(connection: Connection, lanes: ReadonlyMap<string, Lane>, at: number): TransactWriteItem[] {
    const figures = [...this.#figures].filter(([, difference]) => difference !== 0)
    const shard = Math.floor(Math.random() * SHARDS)
    const stats = {
      Update: {
        TableName: connection.table('agent-memory-counters'),
        Key: toItem({ owner: `${STATS}|${shard}`, shard: 'figures' }),
        UpdateExpression: `ADD ${figures.map((_, i) => `#n${i} :n${i}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(figures.map(([name], i) => [`#n${i}`, name])),
        ExpressionAttributeValues: Object.fromEntries(figures.map(([, by], i) => [`:n${i}`, toAttribute(by)])),
      },
    }
    const writes = [...this.#written.values()].flatMap(({ owner, partition, places }) =>
      countedWrite(connection, { owner, partition }, lanes.get(partition)!, places, at),
    )
    return [...(figures.length > 0 ? [stats] : []), ...writes]
  }
}

/** One write to a partition: the next number of a lane, and its entry in the feed. */
function countedWrite(
  connection: Connection,
  { owner, partition }: Counted,
  lane: Lane,
  places: readonly Place[],
  at: number,
): TransactWriteItem[] {
  const number = lane.writes + 1
  const known = lane.writes === 0 ? 'attribute_not_exists(writes)' : 'writes = :known'
  const values = { ':next': number, ...(lane.writes === 0 ? {} : { ':known': lane.writes }) }
  return [
    {
      Update: {
        TableName: connection.table('agent-memory-counters'),
        Key: toItem({ owner, shard: shardKey(partition, lane) }),
        UpdateExpression: 'SET writes = :next',
        ConditionExpression: known,
        ExpressionAttributeValues: toItem(values),
      },
    },
    {
      Put: {
        TableName: connection.table('agent-memory-keys'),
        Item: toItem(feedItem(partition, { shard: lane.shard, number }, places, at)),
      },
    },
  ]
}

/** The counter of a partition, or of all partitions of an owner. */
export async function readCounters(
  connection: Connection,
  owner: string,
  partition: string | null,
): Promise<Map<string, Counter>> {
  const range = partition === null ? undefined : (['begins_with(#r, :r)', 'shard', `${partition}|`] as const)
  const items = await connection.query('agent-memory-counters', keyIs('owner', owner, range))
  const none = () => ({ marks: new Map<string, number>(), copies: null, indexed: new Map<string, Marks>() })
  const counters = new Map<string, Omit<ReturnType<typeof none>, 'copies'> & { copies: string | null }>()
  if (partition !== null) counters.set(partition, none())
  for (const item of items) {
    const key = textOf(item, 'shard')!
    const cut = key.lastIndexOf('|')
    const [name, shard] = [key.slice(0, cut), key.slice(cut + 1)]
    const counter = counters.get(name) ?? none()
    const indexed = shard.startsWith(INDEXED) ? indexedOf(item) : null
    if (indexed) counter.indexed.set(shard.slice(INDEXED.length), indexed)
    else if (shard.startsWith(INDEXED)) continue
    else if (shard === COPIES) counter.copies = textOf(item, 'name') ?? null
    else counter.marks.set(shard, numberOf(item, 'writes') ?? 0)
    counters.set(name, counter)
  }
  return counters
}

/** Names the copies of a partition. If another process was first, its name is used. */
export async function nameCopies(connection: Connection, { owner, partition }: Counted): Promise<string> {
  const TableName = connection.table('agent-memory-counters')
  const key = { owner, shard: `${partition}|${COPIES}` }
  const { Attributes: item } = await connection.use((client, sdk) =>
    client.send(
      new sdk.UpdateItemCommand({
        TableName,
        Key: toItem(key),
        UpdateExpression: 'SET #n = if_not_exists(#n, :n)',
        ExpressionAttributeNames: { '#n': 'name' },
        ExpressionAttributeValues: toItem({ ':n': randomUUID() }),
        ReturnValues: 'ALL_NEW',
      }),
    ),
  )
  return textOf(item!, 'name')!
}

export async function readStats(connection: Connection): Promise<StorageStats> {
  const keys = Array.from({ length: SHARDS }, (_, shard) => ({ owner: `${STATS}|${shard}`, shard: 'figures' }))
  const [own, earlier] = await Promise.all([
    connection.get('agent-memory-counters', keys),
    // Earlier versions count under one key.
    connection.query('agent-memory-counters', keyIs('owner', STATS)),
  ])
  const items = [...own, ...earlier]
  const sums = new Map<string, number>()
  for (const item of items) {
    for (const name of figuresOf(item)) sums.set(name, (sums.get(name) ?? 0) + numberOf(item, name)!)
  }
  const named = (prefix: string) =>
    [...sums].flatMap(([name, sum]) =>
      name.startsWith(prefix) && sum > 0 ? [[name.slice(prefix.length), sum] as const] : [],
    )
  const layers = named('memories ')
  return {
    memories: layers.reduce((sum, [, count]) => sum + count, 0),
    active: sums.get('active') ?? 0,
    byLayer: Object.fromEntries(layers) as Partial<Record<Layer, number>>,
    sessions: sums.get('sessions') ?? 0,
    models: named('model ')
      .map(([name]) => name)
      .sort(),
    sizeBytes: null,
  }
}

function figuresOf(item: Item): string[] {
  return Object.keys(item).filter((name) => item[name]?.N !== undefined)
}
