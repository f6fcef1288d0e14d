import { numberOf, textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import type { Counted } from './scope-key.ts'

/** Shards of a counter: concurrent transactions on one item conflict. Reading this many still costs one read unit. */
export const SHARDS = 32

/** How many writes each shard of a partition's counter has seen. */
export type Marks = ReadonlyMap<string, number>

/** A shard of a partition's write counter, and its value as last seen. */
export interface Lane {
  shard: string
  writes: number
}

/** Lanes that a process keeps of one partition: as many as it has commits under way. */
const MOST = SHARDS

/**
 * Each write to a partition increments one shard of its counter, on condition that the shard is as last seen. So the
 * writes of a shard are numbered without gaps, and a reader that sees the counter knows the keys of the feed entries it
 * is missing. A process keeps to shards that it has used, where it seldom meets another. If it does, the commit is
 * repeated on another shard.
 */
export class Lanes {
  readonly #connection: Connection
  readonly #free = new Map<string, Lane[]>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** A lane for each of these partitions, for one commit. */
  async take(counted: readonly Counted[]): Promise<Map<string, Lane>> {
    const taken = new Map<string, Lane>()
    const unknown: { owner: string; shard: string }[] = []
    for (const { owner, partition } of counted) {
      const lane = this.#free.get(partition)?.pop() ?? { shard: anyShard(), writes: -1 }
      taken.set(partition, lane)
      if (lane.writes < 0) unknown.push({ owner, shard: shardKey(partition, lane) })
    }
    if (unknown.length === 0) return taken
    const items = await this.#connection.get('agent-memory-counters', unknown)
    const writes = new Map(items.map((item) => [textOf(item, 'shard')!, numberOf(item, 'writes') ?? 0]))
    for (const [partition, lane] of taken) {
      if (lane.writes < 0) lane.writes = writes.get(shardKey(partition, lane)) ?? 0
    }
    return taken
  }

  /** After the commit was applied: the lanes may be used again. */
  keep(taken: ReadonlyMap<string, Lane>): void {
    for (const [partition, { shard, writes }] of taken) this.#put(partition, { shard, writes: writes + 1 })
  }

  /** Saves the first commit a read. */
  learn(partition: string, marks: Marks): void {
    if (this.#free.has(partition)) return
    const shard = anyShard()
    this.#put(partition, { shard, writes: marks.get(shard) ?? 0 })
  }

  #put(partition: string, lane: Lane): void {
    const free = this.#free.get(partition) ?? []
    if (free.length < MOST) free.push(lane)
    this.#free.set(partition, free)
  }
}

export function shardKey(partition: string, { shard }: Pick<Lane, 'shard'>): string {
  return `${partition}|${shard}`
}

function anyShard(): string {
  return String(Math.floor(Math.random() * SHARDS))
}
