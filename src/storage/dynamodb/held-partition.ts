import { isSame, type Marks } from './counters.ts'
import type { StoredRow } from './memory-item.ts'
import { PartitionVectors } from './partition-vectors.ts'

/** One partition as it was read, with the counters as they were before. */
export class HeldPartition {
  readonly name: string
  readonly #rows = new Map<string, StoredRow>()
  readonly #readAt = performance.now()
  readonly #marks: Map<string, number>
  /** The last revision of memories that were deleted or moved away since. */
  readonly #gone = new Map<string, number>()
  /** By token; made by the first search for words. */
  #holders: Map<string, Set<StoredRow>> | null = null
  #vectors: PartitionVectors | null = null

  constructor(name: string, marks: Marks, rows: readonly StoredRow[]) {
    this.name = name
    this.#marks = new Map(marks)
    for (const stored of rows) this.#rows.set(stored.row.memory.id, stored)
  }

  get size(): number {
    return this.#rows.size
  }

  get age(): number {
    return performance.now() - this.#readAt
  }

  get newest(): string {
    let newest = ''
    for (const { place } of this.#rows.values()) if (place.createdAt > newest) newest = place.createdAt
    return newest
  }

  rows(): Iterable<StoredRow> {
    return this.#rows.values()
  }

  /** The memories that hold a token. */
  holders(token: string): ReadonlySet<StoredRow> {
    if (this.#holders === null) {
      this.#holders = new Map()
      for (const stored of this.#rows.values()) enter(this.#holders, stored)
    }
    return this.#holders.get(token) ?? NONE
  }

  /** The vectors of a model, packed. */
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

  /** One more write is expected on this shard: our own. */
  expect(shard: string): void {
    this.#marks.set(shard, (this.#marks.get(shard) ?? 0) + 1)
  }

  /** Answers to two commits may come in another order than they were applied: the later state stays. */
  set(stored: StoredRow): void {
    const { id } = stored.row.memory
    const revision = stored.revision ?? 0
    if ((this.#rows.get(id)?.revision ?? 0) >= revision || (this.#gone.get(id) ?? 0) >= revision) return
    this.#take(id)
    this.#rows.set(id, stored)
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
