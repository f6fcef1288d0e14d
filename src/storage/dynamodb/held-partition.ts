import { isSame, type Marks } from './counters.ts'
import { distinctRows } from './distinct.ts'
import type { StoredRow } from './memory-item.ts'
import { PartitionVectors } from './partition-vectors.ts'

export class HeldPartition {
  readonly name: string
  readonly #rows = new Map<string, StoredRow>()
  readonly #readAt = performance.now()
  readonly #marks: Map<string, number>
  /** The last revision of memories that have been deleted or moved away. */
  readonly #gone = new Map<string, number>()
  /** Rows by token; built on the first text search. */
  #holders: Map<string, Set<StoredRow>> | null = null
  #vectors: PartitionVectors | null = null
  /** The last sort key of unreadable items, and of all items; null if it must be looked up. */
  readonly #unread: string
  #newest: string | null = null

  /** `newest` is the last sort key of the published partition, including items that are not memories. */
  constructor(name: string, marks: Marks, rows: readonly StoredRow[], newest = '') {
    this.name = name
    this.#marks = new Map(marks)
    this.#unread = rows.some(({ place }) => place.agentProjectKey === name && place.createdAt === newest) ? '' : newest
    for (const stored of distinctRows(rows)) this.#rows.set(stored.row.memory.id, stored)
  }

  get size(): number {
    return this.#rows.size
  }

  get age(): number {
    return performance.now() - this.#readAt
  }

  get newest(): string {
    if (this.#newest === null) {
      this.#newest = this.#unread
      for (const { place } of this.#rows.values())
        if (place.agentProjectKey === this.name && place.createdAt > this.#newest) this.#newest = place.createdAt
    }
    return this.#newest
  }

  rows(): Iterable<StoredRow> {
    return this.#rows.values()
  }

  holders(token: string): ReadonlySet<StoredRow> {
    if (this.#holders === null) {
      this.#holders = new Map()
      for (const stored of this.#rows.values()) enter(this.#holders, stored)
    }
    return this.#holders.get(token) ?? NONE
  }

  vectors(model: string, dimensions: number): PartitionVectors {
    if (this.#vectors?.model !== model) {
      this.#vectors = new PartitionVectors(model, dimensions)
      for (const stored of this.#rows.values()) this.#vectors.set(stored)
    }
    return this.#vectors
  }

  isCurrent(marks: Marks): boolean {
    return isSame(this.#marks, marks)
  }

  /** Expects one more write on this shard, our own. */
  expect(shard: string): void {
    this.#marks.set(shard, (this.#marks.get(shard) ?? 0) + 1)
  }

  /**
   * Whether a memory with this id is or was here. A new one may be a restored memory or arrive before its own deletion
   * is known; the copy cannot tell which.
   */
  knows(id: string): boolean {
    return this.#rows.has(id) || this.#gone.has(id)
  }

  /** Responses to two commits may arrive out of order; the later state wins. */
  set(stored: StoredRow): void {
    const { id } = stored.row.memory
    const revision = stored.revision ?? 0
    if ((this.#rows.get(id)?.revision ?? 0) >= revision || (this.#gone.get(id) ?? 0) >= revision) return
    this.#take(id)
    this.#rows.set(id, stored)
    this.#newest = null
    if (this.#holders) enter(this.#holders, stored)
    this.#vectors?.set(stored)
  }

  delete(id: string, revision: number): void {
    this.#gone.set(id, revision)
    this.#take(id)
  }

  #take(id: string): void {
    const stored = this.#rows.get(id)
    if (!stored) return
    this.#rows.delete(id)
    this.#newest = null
    for (const token of stored.row.tokens) this.#holders?.get(token)?.delete(stored)
    this.#vectors?.delete(stored)
  }
}

const NONE: ReadonlySet<StoredRow> = new Set()

function enter(holders: Map<string, Set<StoredRow>>, stored: StoredRow): void {
  for (const token of stored.row.tokens) {
    const own = holders.get(token)
    if (own) own.add(stored)
    else holders.set(token, new Set([stored]))
  }
}
