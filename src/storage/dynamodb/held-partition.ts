import { distinct } from './distinct.ts'
import type { Cause } from './feed.ts'
import type { HeldRow } from './held-row.ts'
import type { Marks } from './lanes.ts'
import { PartitionVectors } from './partition-vectors.ts'
import { nameOfPlace, type Place } from './place.ts'

/** What lies at a place now: null if nothing that is a memory. */
export interface PlaceNow {
  place: Place
  row: HeldRow | null
  cause: Cause | null
}

/** A partition as of its marks, or later: what was written in the meantime may be in it or not. */
export class HeldPartition {
  readonly name: string
  /** Places that have become empty, each with what emptied it. */
  readonly gone = new Map<string, { place: Place; cause: Cause | null }>()
  readonly #rows = new Map<string, HeldRow>()
  readonly #readAt = performance.now()
  readonly #marks: Map<string, number>
  /** How many rows have each id: only other programs write an id twice. */
  readonly #ids = new Map<string, number>()
  /** Rows by id, and by token; built when needed. */
  #byId: Map<string, HeldRow> | null = null
  #holders: Map<string, Set<HeldRow>> | null = null
  #vectors: PartitionVectors | null = null
  /** The last sort key of the published partition that is not a memory. */
  #unread: string
  #newest: string | null = null

  /** `newest` is the last sort key of the published partition, including items that are not memories. */
  constructor(name: string, marks: Marks, rows: Iterable<HeldRow>, newest = '') {
    this.name = name
    this.#marks = new Map(marks)
    for (const row of rows) this.#enter(row)
    this.#unread = this.at({ agentProjectKey: name, createdAt: newest }) ? '' : newest
  }

  get size(): number {
    return this.#rows.size
  }

  get age(): number {
    return performance.now() - this.#readAt
  }

  get marks(): Marks {
    return this.#marks
  }

  get newest(): string {
    if (this.#newest === null) {
      this.#newest = this.#unread
      for (const { place } of this.#rows.values())
        if (place.agentProjectKey === this.name && place.createdAt > this.#newest) this.#newest = place.createdAt
    }
    return this.#newest
  }

  /** The memories, each under an id of its own. */
  rows(): Iterable<HeldRow> {
    return this.#named().values()
  }

  /** The items as they are stored. */
  items(): Iterable<HeldRow> {
    return this.#rows.values()
  }

  at(place: Place): HeldRow | null {
    return this.#rows.get(nameOfPlace(place)) ?? null
  }

  holders(token: string): ReadonlySet<HeldRow> {
    if (this.#holders === null) {
      this.#holders = new Map()
      for (const row of this.rows()) index(this.#holders, row)
    }
    return this.#holders.get(token) ?? NONE
  }

  vectors(model: string, dimensions: number): PartitionVectors {
    if (this.#vectors?.model !== model) {
      this.#vectors = new PartitionVectors(model, dimensions)
      for (const row of this.rows()) this.#vectors.set(row)
    }
    return this.#vectors
  }

  /** Applies what was read since, up to these marks. */
  follow(changes: readonly PlaceNow[], marks: Marks = this.#marks): void {
    // What leaves a place first, so that a memory that moved is never there twice.
    for (const { place } of changes) this.#leave(place)
    for (const { place, row, cause } of changes) {
      if (row) this.#enter(row)
      else if (cause) this.gone.set(nameOfPlace(place), { place, cause })
    }
    for (const [shard, writes] of marks) this.#marks.set(shard, Math.max(writes, this.#marks.get(shard) ?? 0))
  }

  /** Remembers an item that is not a memory: it may be the newest. */
  sawUnreadable({ agentProjectKey, createdAt }: Place): void {
    if (agentProjectKey !== this.name || createdAt <= this.#unread) return
    this.#unread = createdAt
    this.#newest = null
  }

  #enter(row: HeldRow): void {
    const name = nameOfPlace(row.place)
    this.#rows.set(name, row)
    this.gone.delete(name)
    this.#newest = null
    const same = (this.#ids.get(row.id) ?? 0) + 1
    this.#ids.set(row.id, same)
    if (same > 1) {
      this.#forgetNames()
      return
    }
    this.#byId?.set(row.id, row)
    if (this.#holders) index(this.#holders, row)
    this.#vectors?.set(row)
  }

  #leave(place: Place): void {
    const name = nameOfPlace(place)
    const row = this.#rows.get(name)
    if (!row) return
    this.#rows.delete(name)
    this.#newest = null
    const left = this.#ids.get(row.id)! - 1
    if (left > 0) {
      this.#ids.set(row.id, left)
      this.#forgetNames()
      return
    }
    this.#ids.delete(row.id)
    this.#byId?.delete(row.id)
    for (const token of row.tokens) this.#holders?.get(token)?.delete(row)
    this.#vectors?.delete(row)
  }

  #forgetNames(): void {
    this.#byId = null
    this.#holders = null
    this.#vectors = null
  }

  #named(): Map<string, HeldRow> {
    if (this.#byId === null) {
      const rows = [...this.#rows.values()]
      const named =
        this.#ids.size === rows.length
          ? rows
          : distinct(
              rows,
              ({ id, place, revision }) => ({ id, place, isOwn: revision !== null }),
              (row, id) => row.named(id),
            )
      this.#byId = new Map(named.map((row) => [row.id, row]))
    }
    return this.#byId
  }
}

const NONE: ReadonlySet<HeldRow> = new Set()

function index(holders: Map<string, Set<HeldRow>>, row: HeldRow): void {
  for (const token of row.tokens) {
    const own = holders.get(token)
    if (own) own.add(row)
    else holders.set(token, new Set([row]))
  }
}
