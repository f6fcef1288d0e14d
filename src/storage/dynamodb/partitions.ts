import type { ScopeSelector } from '../../model/layer.ts'
import { mapBounded } from './bounded.ts'
import { catchUp, nameOfCause, type OwnWrites, readPlaces } from './catch-up.ts'
import type { Connection } from './connection.ts'
import { type Counter, nameCopies, readCounters } from './counters.ts'
import { HeldPartition } from './held-partition.ts'
import { HeldRow } from './held-row.ts'
import { keyIs } from './item-conditions.ts'
import { type Lane, Lanes, type Marks } from './lanes.ts'
import { Lists } from './lists.ts'
import type { LocalCopies } from './local-copies.ts'
import { hiddenPartition, type Place, partitionOf } from './place.ts'
import { readPartition } from './read-partition.ts'
import { type Counted, placesOf } from './scope-key.ts'
import { TakenPlaces } from './taken-places.ts'
import type { Transaction } from './transaction.ts'
import type { Vectors } from './vectors.ts'

/** The most memories to cache, at about 4 KB each; above it, the least recently used partitions are evicted. */
const MOST_HELD = 100_000
/** Changes after which a copy is written to the disk again; of a larger one, more. */
const UNSAVED = 500
const UNSAVED_SHARE = 0.05
/** Partitions that are read at once. */
const AT_ONCE = 16

/** Cached partitions. Before each use, a copy follows what was written since. */
export class Partitions {
  readonly lists: Lists
  readonly lanes: Lanes
  readonly vectors: Vectors
  readonly taken = new TakenPlaces()
  readonly #connection: Connection
  readonly #copies: LocalCopies
  readonly #held = new Map<string, HeldPartition>()
  readonly #own = new Map<string, OwnWrites>()
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Background work, by partition. */
  readonly #renewals = new Map<string, Promise<unknown>>()
  readonly #saves = new Map<string, Promise<unknown>>()
  readonly #syncs = new Map<string, Promise<unknown>>()

  constructor(connection: Connection, copies: LocalCopies, vectors: Vectors) {
    this.#connection = connection
    this.#copies = copies
    this.vectors = vectors
    this.lists = new Lists(connection)
    this.lanes = new Lanes(connection)
  }

  async read(selectors: readonly ScopeSelector[]): Promise<Map<string, HeldPartition>> {
    const [asked] = await Promise.all([
      Promise.all(selectors.map((selector) => this.#namedBy(selector))),
      this.vectors.ready(),
    ])
    const named = new Map<string, Counted & { counter: Counter | null }>()
    for (const each of asked.flat()) {
      if (!named.get(each.partition)?.counter) named.set(each.partition, each)
    }
    const found = await mapBounded([...named.values()], AT_ONCE, async ({ counter, ...counted }) => {
      return [counted.partition, await this.#current(counted, counter)] as const
    })
    const read = new Map(found)
    this.#forgetOldest(read)
    return read
  }

  /** Without the vectors that the index has by what the table says. */
  async readAll(counted: readonly Counted[]): Promise<Map<string, HeldPartition>> {
    const read = await mapBounded(counted, AT_ONCE, async (each) => {
      const held = await this.#current(each, null)
      await this.#inTurn(each.partition, () => this.vectors.adopt(each, held))
      return [each.partition, held] as const
    })
    return new Map(read)
  }

  /** Writes what the index of vectors lacks of these. `strays`: see `Vectors.sync`. */
  async syncAll(counted: readonly Counted[], strays: ReadonlyMap<string, readonly Place[]>): Promise<void> {
    await mapBounded(counted, AT_ONCE, async (each) => {
      const held = await this.#current(each, null)
      await this.#syncs.get(each.partition)
      await this.#sync(each, held, strays.get(each.partition))
    })
  }

  /** The partitions of a selector, with their counters if the lookup returned them. */
  async #namedBy(selector: ScopeSelector): Promise<(Counted & { counter: Counter | null })[]> {
    const places = placesOf(selector)
    if ('list' in places) return (await this.lists.read(places.list)).map((each) => ({ ...each, counter: null }))
    if ('length' in places) return places.map((each) => ({ ...each, counter: null }))
    const { owner } = places
    return [...(await readCounters(this.#connection, owner, null))].map(([partition, counter]) => ({
      owner,
      partition,
      counter,
    }))
  }

  /** Keeps what this process wrote itself, so that it need not be read. */
  follow({ written }: Transaction, lanes: ReadonlyMap<string, Lane>): void {
    for (const [partition, { shard, writes }] of lanes) {
      if (!this.#held.has(partition)) continue
      const own = this.#own.get(partition) ?? new Map()
      this.#own.set(partition, own.set(nameOfCause({ shard, number: writes + 1 }), written))
    }
  }

  forget(): void {
    this.#held.clear()
    this.#own.clear()
  }

  /** After a purge: drops everything that may contain removed memories. */
  async erase(): Promise<void> {
    await this.settle()
    this.forget()
    await this.#copies.remove()
  }

  /** Waits for background work. */
  async settle(): Promise<void> {
    const works = [this.#renewals, this.#saves, this.#syncs]
    while (works.some(({ size }) => size > 0)) await Promise.all(works.flatMap((work) => [...work.values()]))
  }

  /** Corrects rows in overdue copies that another program changed or deleted. True if there were any. */
  async recheck(partitions: ReadonlyMap<string, HeldPartition>, rows: readonly HeldRow[]): Promise<boolean> {
    const shown = [...Map.groupBy(rows, ({ place }) => partitionOf(place))]
    const corrected = await Promise.all(
      shown.map(async ([name, own]) => {
        const held = partitions.get(name)
        if (!held?.isOverdue) return false
        return this.#inTurn(name, () => this.#correct(held, own))
      }),
    )
    return corrected.includes(true)
  }

  async #correct(held: HeldPartition, rows: readonly HeldRow[]): Promise<boolean> {
    const places = rows.map(({ place }) => place)
    const changed = (await readPlaces(this.#connection, places)).filter(({ place, row }) => {
      const before = held.at(place)
      return before !== null && !(row && before.isSame(row))
    })
    if (changed.length > 0) held.follow(changed)
    return changed.length > 0
  }

  async #current(counted: Counted, known: Counter | null): Promise<HeldPartition> {
    const { partition } = counted
    const isHeld = this.#held.has(partition)
    const isOnDisk = !isHeld && this.#copies.has(partition)
    const [counter, newest, copy] = await Promise.all([
      known ?? this.#counter(counted),
      isHeld || isOnDisk ? this.#newest(partition, isOnDisk) : null,
      isOnDisk ? this.#copies.load(partition, this.#connection.model!) : null,
    ])
    this.lanes.learn(partition, counter.marks)
    const held = await this.#inTurn(partition, () => this.#update(counted, counter, newest, named(copy, counter)))
    if (this.vectors.isFor(held) && this.vectors.isBehind(held)) {
      // If it fails, the next search tries again, and compares here what the index lacks.
      this.#beside(this.#syncs, partition, () => this.#sync(counted, held))
      if (this.vectors.isFarBehind(held)) await this.#syncs.get(partition)
    }
    return held
  }

  /** A copy is changed by one call at a time. */
  async #inTurn<Result>(partition: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(partition) ?? Promise.resolve()).then(work, work)
    this.#turns.set(partition, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(partition) === turn) this.#turns.delete(partition)
    }
  }

  async #update(
    counted: Counted,
    counter: Counter,
    newest: string | null,
    copy: HeldPartition | null,
  ): Promise<HeldPartition> {
    const { partition } = counted
    const { marks } = counter
    const own = this.#own.get(partition) ?? new Map()
    let held = this.#held.get(partition) ?? copy
    if (held?.isOverdue && !held.isLarge) held = null
    if (held && (await this.#wentBack(counted, held, marks))) held = null
    if (held && this.vectors.isLost(held, counter) && this.vectors.isLost(held, await this.#counter(counted)))
      held = null
    if (held && !(await catchUp(this.#connection, held, marks, own))) held = null
    if (held && newest !== null && !(await this.#meetNewest(held, newest))) held = null
    if (held?.isOverdue) this.#beside(this.#renewals, partition, () => this.#renew(counted))
    const isRead = held === null
    if (!held) {
      this.#own.delete(partition)
      held = await this.#readWhole(counted, marks)
    }
    this.#held.delete(partition)
    this.#held.set(partition, held)
    this.#save(counted, counter, held, isRead)
    return held
  }

  #sync(counted: Counted, held: HeldPartition, strays: readonly Place[] = []): Promise<void> {
    return this.vectors.sync(counted, held, (work) => this.#inTurn(counted.partition, work), strays)
  }

  /** Reads a large partition again, or takes the copy of another process, while the old copy answers calls. */
  async #renew(counted: Counted): Promise<void> {
    const { partition } = counted
    const counter = await this.#counter(counted)
    const copy = named(await this.#copies.load(partition, this.#connection.model!), counter)
    const isFresh = copy !== null && !copy.isOverdue && !(await this.#wentBack(counted, copy, counter.marks))
    const held = isFresh ? copy : await this.#readWhole(counted, counter.marks)
    await this.#inTurn(partition, async () => this.#held.set(partition, held))
    if (!isFresh) this.#save(counted, counter, held, true)
  }

  #save(counted: Counted, { copies }: Counter, held: HeldPartition, isRead: boolean): void {
    if (!held.isLarge || (!isRead && held.unsaved < Math.max(UNSAVED, held.size * UNSAVED_SHARE))) return
    this.#beside(this.#saves, held.name, async () => {
      const name = copies ?? (await nameCopies(this.#connection, counted))
      await this.#copies.save(held, name, this.#connection.model!)
    })
  }

  /** A failure can be ignored: the next call asks the same server, and does the remaining work. */
  #beside(under: Map<string, Promise<unknown>>, partition: string, work: () => Promise<unknown>): void {
    if (under.has(partition)) return
    const end = () => under.delete(partition)
    under.set(partition, work().then(end, end))
  }

  async #counter({ owner, partition }: Counted): Promise<Counter> {
    return (await readCounters(this.#connection, owner, partition)).get(partition)!
  }

  /** Counters only grow, unless the tables were emptied. A call that waited for its turn may bring older ones. */
  async #wentBack(counted: Counted, held: HeldPartition, marks: Marks): Promise<boolean> {
    const isBehind = (now: Marks) => [...held.marks].some(([shard, writes]) => (now.get(shard) ?? 0) < writes)
    return isBehind(marks) && isBehind((await this.#counter(counted)).marks)
  }

  async #readWhole(counted: Counted, marks: Marks): Promise<HeldPartition> {
    const { partition } = counted
    const [published, hidden] = await Promise.all(
      [partition, hiddenPartition(partition)].map((key) => readPartition(this.#connection, key)),
    )
    const rows = [...published!, ...hidden!].flatMap((item) => HeldRow.of(item, this.#connection.model) ?? [])
    const held = new HeldPartition(partition, marks, rows, { newest: published!.at(-1)?.createdAt?.S ?? '' })
    if (this.vectors.isFor(held)) await this.vectors.adopt(counted, held)
    return held
  }

  /**
   * The newest key of an agent's partition; null for others. The published helpers do not update counters, but the items they add to an agent's partition come
   * last. Before a copy from disk is used, the key is read for any partition, so that a user without read permission gets nothing.
   */
  async #newest(partition: string, isOnDisk: boolean): Promise<string | null> {
    if (partition.startsWith('@') && !isOnDisk) return null
    const last = { ...keyIs('agentProjectKey', partition), ProjectionExpression: 'createdAt', ScanIndexForward: false }
    const [item] = await this.#connection.query('agent-memories', last, 1)
    return item?.createdAt?.S ?? ''
  }

  /** Reads what is newer than the copy, or whether its newest item has gone. False if that does not explain it. */
  async #meetNewest(held: HeldPartition, newest: string): Promise<boolean> {
    if (newest === held.newest) return true
    const { name } = held
    if (newest < held.newest) {
      const last = { agentProjectKey: name, createdAt: held.newest }
      const [now] = await readPlaces(this.#connection, [last])
      // Otherwise this process has followed the feed beyond what it asked before.
      return now!.isThere
    }
    const range = keyIs('agentProjectKey', name, ['#r > :r', 'createdAt', held.newest])
    const items = await this.#connection.query('agent-memories', range)
    const rows = items.map((item) => HeldRow.of(item, this.#connection.model))
    held.follow(rows.flatMap((row) => (row ? [{ place: row.place, row }] : [])))
    const sort = items.at(-1)?.createdAt?.S
    if (sort !== undefined && !rows.at(-1)) held.sawUnreadable({ agentProjectKey: name, createdAt: sort })
    return true
  }

  /** Never evicts what was just read, since the next page or query needs it. */
  #forgetOldest(read: ReadonlyMap<string, HeldPartition>): void {
    let total = [...this.#held.values()].reduce((sum, { size }) => sum + size, 0)
    for (const [name, { size }] of this.#held) {
      if (total <= MOST_HELD) return
      if (read.has(name)) continue
      this.#held.delete(name)
      this.#own.delete(name)
      total -= size
    }
  }
}

/** A copy of another store, or of tables that were emptied since, has another name. */
function named(copy: { name: string; held: HeldPartition } | null, { copies }: Counter): HeldPartition | null {
  return copy && copy.name === copies ? copy.held : null
}
