import type { ScopeSelector } from '../../model/layer.ts'
import { textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { isSame, type Marks, readMarks } from './counters.ts'
import { HeldPartition } from './held-partition.ts'
import { keyIs } from './item-conditions.ts'
import { Lists } from './lists.ts'
import { readItems } from './memory-item.ts'
import { hiddenPartition, partitionOf } from './place.ts'
import { type Counted, placesOf } from './scope-key.ts'
import { TakenPlaces } from './taken-places.ts'
import type { Transaction } from './transaction.ts'

/** The most memories to cache, at about 4 KB each; above it, the least recently used partitions are evicted. */
const MOST_HELD = 100_000
/** The longest that writes which bypass our counters stay unseen. */
const OLDEST_MS = 60_000

/** Cached partitions, each valid as long as its counters show no further writes. */
export class Partitions {
  readonly lists: Lists
  readonly taken = new TakenPlaces()
  readonly #connection: Connection
  readonly #held = new Map<string, HeldPartition>()
  readonly #reading = new Map<string, { marks: Marks; held: Promise<HeldPartition> }>()

  constructor(connection: Connection) {
    this.#connection = connection
    this.lists = new Lists(connection)
  }

  async read(selectors: readonly ScopeSelector[]): Promise<Map<string, HeldPartition>> {
    const asked = await Promise.all(selectors.map((selector) => this.#namedBy(selector)))
    const marks = new Map<string, Counted & { marks: Marks | null }>()
    for (const each of asked.flat()) {
      const known = marks.get(each.partition)
      if (!known?.marks) marks.set(each.partition, each)
    }
    const found = await Promise.all(
      [...marks.values()].map(async ({ owner, partition, marks }) => {
        const counted = marks ?? readMarks(this.#connection, owner, partition).then((read) => read.get(partition)!)
        return [partition, await this.#current(partition, counted)] as const
      }),
    )
    const read = new Map(found)
    this.#forgetOldest(read)
    return read
  }

  /** The partitions of a selector, with their counters if the lookup returned them. */
  async #namedBy(selector: ScopeSelector): Promise<(Counted & { marks: Marks | null })[]> {
    const places = placesOf(selector)
    if ('list' in places) return (await this.lists.read(places.list)).map((each) => ({ ...each, marks: null }))
    if ('length' in places) return places.map((each) => ({ ...each, marks: null }))
    const { owner } = places
    return [...(await readMarks(this.#connection, owner, null))].map(([partition, marks]) => ({
      owner,
      partition,
      marks,
    }))
  }

  /** Applies this process's own writes to the cached copies, so that they need not be read again. */
  follow({ written, counting }: Transaction): void {
    for (const partition of counting.partitions) {
      const held = this.#held.get(partition)
      if (!held) continue
      if (written.some(({ id, before }) => before === null && held.knows(id))) {
        this.#held.delete(partition)
        continue
      }
      for (const { id, before, after } of written) {
        if (after && partitionOf(after.place) === partition) held.set(after)
        else if (before && partitionOf(before.place) === partition) held.delete(id, before.revision ?? 0)
      }
      held.expect(counting.shard)
    }
  }

  forget(): void {
    this.#held.clear()
  }

  async #current(partition: string, counted: Marks | Promise<Marks>): Promise<HeldPartition> {
    const known = this.#held.get(partition)
    const isYoung = known !== undefined && known.age < OLDEST_MS
    const [marks, isNewest] = await Promise.all([counted, isYoung && this.#isNewest(known)])
    if (isNewest && known?.isCurrent(marks)) {
      this.#held.delete(partition)
      this.#held.set(partition, known)
      return known
    }
    const underWay = this.#reading.get(partition)
    // A read in progress can be shared if nothing was written since it began.
    if (underWay && isSame(underWay.marks, marks)) return underWay.held
    const reading = { marks, held: this.#readWhole(partition, marks) }
    this.#reading.set(partition, reading)
    try {
      return await reading.held
    } finally {
      if (this.#reading.get(partition) === reading) this.#reading.delete(partition)
    }
  }

  async #readWhole(partition: string, marks: Marks): Promise<HeldPartition> {
    const [published, hidden] = await Promise.all(
      [partition, hiddenPartition(partition)].map((key) =>
        this.#connection.query('agent-memories', keyIs('agentProjectKey', key)),
      ),
    )
    const newest = textOf(published!.at(-1) ?? {}, 'createdAt')
    const rows = readItems([...published!, ...hidden!], this.#connection.model)
    const held = new HeldPartition(partition, marks, rows, newest)
    this.#held.set(partition, held)
    return held
  }

  /**
   * The published helpers do not update counters, but their additions to an agent's partition come after the newest
   * cached key.
   */
  async #isNewest(held: HeldPartition): Promise<boolean> {
    const { name } = held
    if (name.startsWith('@')) return true
    const [item] = await this.#connection.query(
      'agent-memories',
      { ...keyIs('agentProjectKey', name), ProjectionExpression: 'createdAt', ScanIndexForward: false },
      1,
    )
    return (item?.createdAt?.S ?? '') === held.newest
  }

  /** Never evicts what was just read, since the next page or query needs it. */
  #forgetOldest(read: ReadonlyMap<string, HeldPartition>): void {
    let total = [...this.#held.values()].reduce((sum, { size }) => sum + size, 0)
    for (const [name, { size }] of this.#held) {
      if (total <= MOST_HELD) return
      if (read.has(name)) continue
      this.#held.delete(name)
      total -= size
    }
  }
}
