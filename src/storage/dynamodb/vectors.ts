import { randomUUID } from 'node:crypto'
import { MemoryError } from '../../model/errors.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { VectorModel } from '../storage.ts'
import { bytesOf, type PlainItem, textOf, toItem } from './attributes.ts'
import { mapBounded } from './bounded.ts'
import { touchedBetween } from './catch-up.ts'
import type { Connection, DynamodbOptions } from './connection.ts'
import { type Counter, INDEXED, indexedOf, readCounters } from './counters.ts'
import type { HeldPartition } from './held-partition.ts'
import type { HeldRow } from './held-row.ts'
import { keyIs } from './item-conditions.ts'
import type { Marks } from './lanes.ts'
import { textKey } from './memory-item.ts'
import { keyOf, mayLeave, nameInIndex, Outside } from './outside.ts'
import { nameOfPlace, type Place, placeOf } from './place.ts'
import type { Counted } from './scope-key.ts'
import { type OuterVector, VectorService } from './vector-service.ts'

const FROM = 50_000
const BEHIND = 500
/** After this time without a sign of life, a process that was writing into the index has died. */
const LEASE_MS = 60_000

/** The index of vectors outside, if the store has one: what it has of which partition, and who writes into it. */
export class Vectors {
  readonly #connection: Connection
  readonly #options: DynamodbOptions
  readonly #me = randomUUID()
  #service: { service: VectorService; model: VectorModel } | null = null
  /** The name of the index; null until one was needed. */
  #index: string | null = null

  constructor(connection: Connection, options: DynamodbOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** null if the store has none. */
  get service(): VectorService | null {
    const { vectors } = this.#options
    const { model } = this.#connection
    if (!vectors || !model) return null
    if (this.#service?.model.name !== model.name) {
      this.#service = { model, service: new VectorService({ ...this.#options, vectors }, model) }
      this.#index = null
    }
    return this.#service.service
  }

  /** Finds out which index the store has. */
  async ready(): Promise<void> {
    if (this.service === null || this.#index !== null) return
    const [item] = await this.#connection.get('agent-memory-counters', [this.#named()])
    this.#index = textOf(item ?? {}, 'name') ?? null
  }

  /** Makes an index, if there is none yet. Its name is new, so nobody takes it for one that has gone. */
  async create(): Promise<string> {
    const name = await this.service!.create()
    const names = { '#n': 'name' }
    const item = await this.#update(
      this.#named(),
      'SET #n = :name',
      'attribute_not_exists(#n)',
      { ':name': name },
      names,
    )
    if (!item) await this.service!.drop(name)
    await this.ready()
    return this.#index!
  }

  /** The index has gone: from now on, the store has none, until the next one is made. */
  async forget(index: string): Promise<void> {
    await this.#update(this.#named(), 'REMOVE #n', '#n = :gone', { ':gone': index }, { '#n': 'name' })
    this.#index = null
    await this.ready()
  }

  /** null if none was made yet. */
  get index(): string | null {
    return this.#index
  }

  get model(): VectorModel {
    return this.#connection.model!
  }

  /** Whether vectors of this partition are, or should be, in the index. */
  isFor({ size, outside }: HeldPartition): boolean {
    return this.service !== null && (outside !== null || size >= (this.#options.vectors!.from ?? FROM))
  }

  /** Whether the copy relies on an index that is not there any more. */
  isLost({ outside }: HeldPartition, { indexed }: Counter): boolean {
    return outside !== null && (outside.index !== this.#index || !indexed.has(outside.index))
  }

  /** Whether the index lacks so much that it should be written. */
  isBehind(held: HeldPartition): boolean {
    const { behind = BEHIND } = this.#options.vectors!
    return held.outside === null || held.outside.inside.size + held.outside.removed.size > behind
  }

  /** Whether a search waits until the index is written: otherwise, it would have to compare very much here. */
  isFarBehind({ outside }: HeldPartition): boolean {
    const { behind = BEHIND } = this.#options.vectors!
    return behind === 0 || (outside !== null && outside.inside.size > 20 * behind)
  }

  /** Releases the vectors that the index has. Nothing else may change the partition meanwhile. */
  async adopt(counted: Counted, held: HeldPartition): Promise<void> {
    const index = this.#index
    // Read after the rows: no row is newer than these marks.
    const { marks, indexed } = await this.#counter(counted)
    const there = index === null ? undefined : indexed.get(index)
    if (index === null || !there || (held.outside && held.outside.index !== index)) return
    const touched = await touchedBetween(this.#connection, held.name, there, marks)
    if (!touched) return
    if (held.outside === null) held.leave(outsideOf(index, held))
    const { inside, removed } = held.outside!
    const isThere = (row: HeldRow) => !touched.has(nameOfPlace(row.place)) && mayLeave(row, this.model.name)
    held.wrote(
      [...inside].filter(isThere),
      [...removed.keys()].filter((name) => !touched.has(name)),
    )
    for (const [name, place] of touched) if (!held.at(place)) removed.set(name, place)
  }

  /**
   * Writes into the index what it lacks. One process at a time writes a partition, and only if no other knows more.
   * `strays` are places that the index has too much, unless there is a memory now.
   */
  async sync(
    counted: Counted,
    held: HeldPartition,
    inTurn: (work: () => Promise<void>) => Promise<void>,
    strays: readonly Place[],
  ) {
    const { dimensions, name: model } = this.model
    const index = this.#index ?? (await this.create())
    const lease = this.#shard(counted, index)
    const before = await this.#lease(lease)
    if (before === null) return
    let marks: Marks | null = null
    try {
      await inTurn(() => this.adopt(counted, held))
      if (held.outside && held.outside.index !== index) return
      // All of one moment.
      const now = new Map(held.marks)
      const rows = [...(held.outside?.inside ?? held.items())].filter((row) => mayLeave(row, model))
      const removed = new Map(held.outside?.removed)
      for (const place of strays) if (!held.at(place)) removed.set(nameOfPlace(place), place)
      if (!isCovered(before, now)) return
      const listed = { owner: listOf(index), shard: counted.partition, of: counted.owner }
      if (before.size === 0) await this.#connection.put('agent-memory-counters', [listed])
      const vectors = rows.map((row) => ({
        key: keyOf(row.place),
        metadata: { p: nameInIndex(held.name), h: row.textHash! },
        vector: decodeFloat16(row.vector!, dimensions),
      }))
      const put = await this.service!.put(index, vectors, () => this.#extend(lease))
      const isThere = put && (await this.service!.remove(index, [...removed.values()].map(keyOf)))
      if (!isThere) return await this.forget(index)
      await this.#extend(lease)
      marks = now
      await inTurn(async () => {
        if (held.outside === null) held.leave(outsideOf(index, held))
        if (held.outside!.index === index) held.wrote(rows, removed.keys())
      })
    } finally {
      await this.#release(lease, marks)
    }
  }

  /** The vectors of these rows; without those whose text has changed meanwhile. */
  async read(rows: readonly HeldRow[]): Promise<Map<HeldRow, Float32Array>> {
    const { name, dimensions } = this.#connection.model!
    const places = rows.map(({ place }) => ({ ...place }))
    const items = await this.#connection.get('agent-memories', places, 'agentProjectKey, createdAt, textKey, vector')
    const there = new Map(items.map((item) => [nameOfPlace(placeOf(item)), item]))
    const found = new Map<HeldRow, Float32Array>()
    for (const row of rows) {
      const item = there.get(nameOfPlace(row.place)) ?? {}
      const bytes = bytesOf(item, 'vector')
      const isSame = textOf(item, 'textKey') === textKey({ model: name, hash: row.textHash ?? '' })
      if (isSame && bytes?.byteLength === dimensions * 2) found.set(row, decodeFloat16(bytes, dimensions))
    }
    return found
  }

  /** At once, though the next one who writes the index would do it too. */
  async remove(places: readonly Place[]): Promise<void> {
    await this.ready()
    if (this.#index !== null) await this.service!.remove(this.#index, places.map(keyOf))
  }

  /** Where a partition's memories are in the index, by the name of the partition there. */
  async *listed(): AsyncGenerator<OuterVector[]> {
    if (this.#index !== null) yield* this.service!.list(this.#index)
  }

  /** Deletes the indexes that no record names: a process has died while it made one. Returns their names. */
  async dropOrphans(): Promise<string[]> {
    const all = await this.service!.all(Date.now() - ORPHAN_MS)
    const items = await this.#connection.query('agent-memory-counters', keyIs('owner', NAMES))
    const named = new Set(items.map((item) => textOf(item, 'name')))
    const orphans = all.filter((name) => !named.has(name))
    for (const name of orphans) await this.service!.drop(name)
    return orphans
  }

  /** Deletes the index: it is made again from the table. */
  async drop(): Promise<void> {
    const index = this.#index!
    await this.service!.drop(index)
    await this.forget(index)
  }

  async close(): Promise<void> {
    await this.#service?.service.close()
  }

  /** The partitions that the index has or had. */
  async partitions(): Promise<Counted[]> {
    const items = await this.#connection.query('agent-memory-counters', keyIs('owner', listOf(this.#index!)))
    return items.map((item) => ({ owner: textOf(item, 'of')!, partition: textOf(item, 'shard')! }))
  }

  /** What is wrong with the index; null if nothing is, or there is none. */
  async problem(): Promise<string | null> {
    if (this.service === null) return null
    try {
      await this.ready()
      const index = this.#index
      if (index === null) {
        await this.service.all()
        return null
      }
      if (!(await this.service.exists(index)))
        return `The index of vectors ${index} has gone. The next search makes it again.`
      const counted = await this.partitions()
      const lacking = await mapBounded(counted, AT_ONCE, async (each) => {
        const { marks, indexed } = await this.#counter(each)
        const there = indexed.get(index)
        return [...marks].reduce((sum, [shard, writes]) => sum + writes - (there?.get(shard) ?? 0), 0)
      })
      const sum = lacking.reduce((all, each) => all + each, 0)
      if (sum <= MUCH * (this.#options.vectors!.behind ?? BEHIND)) return null
      return `The index of vectors ${index} lacks ${sum} commits: searches compare them here.`
    } catch (error) {
      return `The index of vectors cannot be used: ${(error as Error).message}`
    }
  }

  async #counter({ owner, partition }: Counted): Promise<Counter> {
    return (await readCounters(this.#connection, owner, partition)).get(partition)!
  }

  #shard({ owner, partition }: Counted, index: string): PlainItem {
    return { owner, shard: `${partition}|${INDEXED}${index}` }
  }

  #named(): PlainItem {
    return { owner: NAMES, shard: this.service!.base }
  }

  /** The marks of the index; null if another process writes it. */
  async #lease(key: PlainItem): Promise<Marks | null> {
    const now = Date.now()
    const item = await this.#update(key, 'SET lease = :until, holder = :me', FREE, {
      ...{ ':until': now + LEASE_MS, ':now': now, ':me': this.#me },
    })
    return item && (indexedOf(item) ?? new Map())
  }

  async #extend(key: PlainItem): Promise<void> {
    const values = { ':until': Date.now() + LEASE_MS, ':me': this.#me }
    if (await this.#update(key, 'SET lease = :until', 'holder = :me', values)) return
    throw new MemoryError('PROVIDER_ERROR', 'Another process writes into the index of vectors.', { retryable: true })
  }

  async #release(key: PlainItem, marks: Marks | null): Promise<void> {
    const set = marks === null ? '' : 'SET marks = :marks '
    const values: PlainItem = marks === null ? {} : { ':marks': JSON.stringify([...marks]) }
    await this.#update(key, `${set}REMOVE lease, holder`, 'holder = :me', { ...values, ':me': this.#me })
  }

  /** The item afterwards; null if the condition is not met. */
  async #update(
    key: PlainItem,
    expression: string,
    condition: string,
    values: PlainItem,
    names?: Record<string, string>,
  ) {
    try {
      const { Attributes: item } = await this.#connection.use((client, sdk) =>
        client.send(
          new sdk.UpdateItemCommand({
            TableName: this.#connection.table('agent-memory-counters'),
            Key: toItem(key),
            UpdateExpression: expression,
            ConditionExpression: condition,
            ExpressionAttributeValues: toItem(values),
            ...(names ? { ExpressionAttributeNames: names } : {}),
            ReturnValues: 'ALL_NEW',
          }),
        ),
      )
      return item ?? null
    } catch (error) {
      if (MemoryError.is(error) && error.details.dynamodb === 'ConditionalCheckFailedException') return null
      throw error
    }
  }
}

const NAMES = '@vectors'
/** A younger index may be about to be named. */
const ORPHAN_MS = 3600_000
const FREE = 'attribute_not_exists(lease) OR lease < :now OR holder = :me'
/** Commits that the index may lack, for each change that it may, before that is a problem. */
const MUCH = 20
const AT_ONCE = 8

/** The key of the list of partitions of an index. */
function listOf(index: string): string {
  return `@vectors ${index}`
}

/** Whether nothing of `some` is beyond `all`. */
function isCovered(some: Marks, all: Marks): boolean {
  return [...some].every(([shard, writes]) => writes <= (all.get(shard) ?? 0))
}

/** Everything that has a vector here; what was written is then taken off. */
function outsideOf(index: string, held: HeldPartition): Outside {
  const outside = new Outside(index)
  for (const row of held.items()) if (row.vector) outside.inside.add(row)
  return outside
}
