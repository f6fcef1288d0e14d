import { distinct } from './distinct.ts'
import type { HeldRow } from './held-row.ts'
import type { Marks } from './lanes.ts'
import type { Outside } from './outside.ts'
import { PartitionVectors, type StoredIndex } from './partition-vectors.ts'
import { idOfPlace, isSamePlace, nameOfPlace, type Place } from './place.ts'

/** The item at a place; null if it is not a memory. */
export interface PlaceNow {
  place: Place
  row: HeldRow | null
  /** False if several commits may have written it. */
  isOnce?: boolean
}

/** From this many memories on, a partition is kept on disk: about a megabyte, which is a page of DynamoDB. */
const LARGE = 500
/** How long writes that bypass our counters may stay unseen, for each `LARGE` memories. */
const OLDEST_MS = 60_000

/** A partition as of its marks, or later: it may or may not have later writes. */
export class HeldPartition {
  readonly name: string
  /** When it was read whole. */
  readonly readAt: number
  /** Changes followed since it was written to the disk. */
  unsaved = 0
  #outside: Outside | null = null
  /** null until rows are looked for by place, if the partition comes from the disk. */
  #rows: Map<string, HeldRow> | null = null
  readonly #marks: Map<string, number>
  /** How many rows have each id: only other programs write an id twice. */
  readonly #ids = new Map<string, number>()
  /** Rows by id, and by token; built when needed. With a stored index, only of the tokens that were asked for. */
  #byId: Map<string, HeldRow> | null = null
  #holders: Map<string, Set<HeldRow>> | null = null
  #vectors: PartitionVectors | null = null
  #index: StoredIndex | null
  /** Rows that are not in the stored index, and rows of the index that have gone. */
  readonly #since = new Set<HeldRow>()
  readonly #gone = new Set<HeldRow>()
  /** The last sort key of the published partition that is not a memory. */
  #unread: string
  #newest: string | null

  /** `newest` is the last sort key of the published partition, including items that are not memories. */
  constructor(
    name: string,
    marks: Marks,
    rows: Iterable<HeldRow> | StoredIndex,
    {
      newest = '',
      readAt = Date.now(),
      outside = null,
    }: { newest?: string; readAt?: number; outside?: Outside | null } = {},
  ) {
    this.name = name
    this.readAt = readAt
    this.#index = Symbol.iterator in rows ? null : rows
    this.#marks = new Map(marks)
    this.#unread = newest
    this.#newest = newest
    if (Symbol.iterator in rows) this.#fill(rows)
    this.#outside = outside
  }

  get size(): number {
    return this.#rows?.size ?? this.#index!.size
  }

  /** Whether other programs' writes may have gone unseen for too long. Reading a large one costs more: it may be older. */
  get isOverdue(): boolean {
    const age = Date.now() - this.readAt
    return age < 0 || age > OLDEST_MS * Math.max(1, this.size / LARGE)
  }

  get isLarge(): boolean {
    return this.size >= LARGE
  }

  get marks(): Marks {
    return this.#marks
  }

  get newest(): string {
    if (this.#newest === null) {
      this.#newest = this.#unread
      for (const { place } of this.items())
        if (place.agentProjectKey === this.name && place.createdAt > this.#newest) this.#newest = place.createdAt
    }
    return this.#newest
  }

  get outside(): Outside | null {
    return this.#outside
  }

  /** From now on, vectors that are not in `outside` are in the index, and rows have been released. */
  leave(outside: Outside): void {
    this.#outside = outside
    this.#vectors = null
    // The copy on the disk has vectors that are not needed any more.
    this.unsaved = Infinity
  }

  /** The index has these now. */
  wrote(rows: readonly HeldRow[], removed: Iterable<string>): void {
    for (const row of rows) this.#vectors?.delete(row)
    this.#outside!.wrote(rows, removed)
  }

  /** The memories, each under an id of its own. */
  rows(): IteratorObject<HeldRow> {
    return this.#named().values()
  }

  /** The items as they are stored. */
  items(): Iterable<HeldRow> {
    return this.#placed().values()
  }

  at(place: Place): HeldRow | null {
    if (this.#rows === null) return this.#index!.at(place)
    return this.#rows.get(nameOfPlace(place)) ?? null
  }

  /** The memory at a place, under its own id. */
  namedAt(place: Place): HeldRow | null {
    const row = this.at(place)
    if (this.#rows === null) return row
    const named = this.#named()
    const own = row && [row.id, idOfPlace(place) ?? ''].map((id) => named.get(id))
    return own?.find((each) => each && isSamePlace(each.place, place)) ?? null
  }

  holders(token: string): ReadonlySet<HeldRow> {
    if (this.#holders === null) {
      this.#holders = new Map()
      if (!this.#index) for (const row of this.rows()) enterHolders(this.#holders, row)
    }
    const known = this.#holders.get(token)
    if (known || !this.#index) return known ?? NONE
    const found = new Set(this.#index.holders(token).filter((row) => !this.#gone.has(row)))
    for (const row of this.#since) if (row.tokens.includes(token)) found.add(row)
    this.#holders.set(token, found)
    return found
  }

  vectors(model: string, dimensions: number): PartitionVectors {
    if (this.#vectors?.model === model) return this.#vectors
    const vectors = new PartitionVectors(model, dimensions)
    const isDistinct = this.#rows === null || this.#rows.size === this.#ids.size
    if (this.#outside && isDistinct) {
      for (const row of this.#outside.inside) vectors.set(row)
    } else if (this.#index?.model === model && !this.#outside) {
      vectors.load(this.#index)
      for (const row of this.#gone) vectors.delete(row)
      for (const row of this.#since) vectors.set(row)
    } else {
      for (const row of this.rows()) vectors.set(row)
    }
    this.#vectors = vectors
    return vectors
  }

  /** Applies what was read since, up to these marks. */
  follow(changes: readonly PlaceNow[], marks: Marks = this.#marks): void {
    if (this.#outside) for (const change of changes) if (isKept(change, this.at(change.place))) change.row!.release()
    // Removals first, so that a moved memory is never there twice.
    for (const { place } of changes) this.#leave(place)
    for (const { row } of changes) if (row) this.#enter(row)
    this.unsaved += changes.length
    for (const [shard, writes] of marks) this.#marks.set(shard, Math.max(writes, this.#marks.get(shard) ?? 0))
  }

  /** Remembers an item that is not a memory: it may be the newest. */
  sawUnreadable({ agentProjectKey, createdAt }: Place): void {
    if (agentProjectKey !== this.name || createdAt <= this.#unread) return
    this.#unread = createdAt
    this.#newest = null
  }

  #placed(): Map<string, HeldRow> {
    if (this.#rows === null) {
      const index = this.#index!
      this.#fill(Array.from({ length: index.size }, (_, i) => index.row(i)))
      this.#since.clear()
    }
    return this.#rows!
  }

  #fill(rows: Iterable<HeldRow>): void {
    this.#rows = new Map()
    for (const row of rows) this.#enter(row)
    this.#newest = null
    this.#unread = this.at({ agentProjectKey: this.name, createdAt: this.#unread }) ? '' : this.#unread
  }

  #enter(row: HeldRow): void {
    const name = nameOfPlace(row.place)
    this.#placed().set(name, row)
    this.#outside?.entered(row)
    this.#newest = null
    const same = (this.#ids.get(row.id) ?? 0) + 1
    this.#ids.set(row.id, same)
    if (same > 1) {
      this.#forgetNames()
      return
    }
    this.#since.add(row)
    this.#byId?.set(row.id, row)
    if (this.#holders) enterHolders(this.#holders, row, this.#index !== null)
    this.#vectors?.set(row)
  }

  #leave(place: Place): void {
    const name = nameOfPlace(place)
    const rows = this.#placed()
    const row = rows.get(name)
    if (!row) return
    rows.delete(name)
    this.#outside?.left(row)
    this.#newest = null
    const left = this.#ids.get(row.id)! - 1
    if (left > 0) {
      this.#ids.set(row.id, left)
      this.#forgetNames()
      return
    }
    this.#ids.delete(row.id)
    this.#byId?.delete(row.id)
    if (!this.#since.delete(row)) this.#gone.add(row)
    if (this.#holders) for (const token of row.tokens) this.#holders.get(token)?.delete(row)
    this.#vectors?.delete(row)
  }

  /** Rows of one id are told apart by their places: see `distinct`. The stored index does not know that. */
  #forgetNames(): void {
    this.#index = null
    this.#byId = null
    this.#holders = null
    this.#vectors = null
  }

  #named(): Map<string, HeldRow> {
    if (this.#byId === null) {
      const rows = [...this.items()]
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

/** Whether the index outside has the vector of a row that one commit has changed: the text is the same. */
function isKept({ row, isOnce }: PlaceNow, before: HeldRow | null): boolean {
  const isOutside = before !== null && before.model !== null && before.vector === null
  return isOutside && isOnce === true && row?.model === before.model && row.textHash === before.textHash
}

const NONE: ReadonlySet<HeldRow> = new Set()

/** `isPartial`: only the tokens that are there already. */
function enterHolders(holders: Map<string, Set<HeldRow>>, row: HeldRow, isPartial = false): void {
  for (const token of row.tokens) {
    const own = holders.get(token)
    if (own) own.add(row)
    else if (!isPartial) holders.set(token, new Set([row]))
  }
}
