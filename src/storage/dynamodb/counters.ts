import type { Layer } from '../../model/layer.ts'
import type { Row } from '../reference/data.ts'
import type { StorageStats } from '../upkeep.ts'
import { type Item, numberOf, textOf, toAttribute, toItem } from './attributes.ts'
import type { Connection } from './connection.ts'
import { keyIs } from './item-conditions.ts'
import { type Counted, countedOf } from './scope-key.ts'

/** Items per counter: concurrent transactions on one item conflict. Reading this many still costs one read unit. */
const SHARDS = 32
const STATS = '@stats'

export type Marks = ReadonlyMap<string, number>

export function isSame(a: Marks, b: Marks): boolean {
  return a.size === b.size && [...a].every(([shard, writes]) => b.get(shard) === writes)
}

export class Counting {
  readonly shard = String(Math.floor(Math.random() * SHARDS))
  readonly #figures = new Map<string, number>()
  readonly #written = new Map<string, Counted>()

  add(figure: string, difference: number): void {
    this.#figures.set(figure, (this.#figures.get(figure) ?? 0) + difference)
  }

  row({ memory, embedding }: Row, sign: 1 | -1): void {
    this.add(`memories ${memory.layer}`, sign)
    if (memory.active) this.add('active', sign)
    if (embedding) this.add(`model ${embedding.model}`, sign)
  }

  write({ memory }: Row): void {
    const counted = countedOf(memory)
    this.#written.set(counted.partition, counted)
  }

  get partitions(): Iterable<string> {
    return this.#written.keys()
  }

  updates(connection: Connection) {
    const figures = [...this.#figures].filter(([, difference]) => difference !== 0)
    const table = connection.table('agent-memory-counters')
    const update = (owner: string, shard: string, added: readonly (readonly [string, number])[]) => ({
      Update: {
        TableName: table,
        Key: toItem({ owner, shard }),
        UpdateExpression: `ADD ${added.map((_, i) => `#n${i} :n${i}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(added.map(([name], i) => [`#n${i}`, name])),
        ExpressionAttributeValues: Object.fromEntries(added.map(([, by], i) => [`:n${i}`, toAttribute(by)])),
      },
    })
    return [
      ...(figures.length > 0 ? [update(STATS, this.shard, figures)] : []),
      ...[...this.#written.values()].map(({ owner, partition }) =>
        update(owner, `${partition}|${this.shard}`, [['writes', 1]]),
      ),
    ]
  }
}

export async function readMarks(
  connection: Connection,
  owner: string,
  partition: string | null,
): Promise<Map<string, Marks>> {
  const range = partition === null ? undefined : (['begins_with(#r, :r)', 'shard', `${partition}|`] as const)
  const items = await connection.query('agent-memory-counters', keyIs('owner', owner, range))
  const marks = new Map<string, Map<string, number>>(partition === null ? [] : [[partition, new Map()]])
  for (const item of items) {
    const name = textOf(item, 'shard')!
    const cut = name.lastIndexOf('|')
    const own = marks.get(name.slice(0, cut)) ?? new Map<string, number>()
    marks.set(name.slice(0, cut), own.set(name.slice(cut + 1), numberOf(item, 'writes') ?? 0))
  }
  return marks
}

export async function readStats(connection: Connection): Promise<StorageStats> {
  const items = await connection.query('agent-memory-counters', keyIs('owner', STATS))
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
