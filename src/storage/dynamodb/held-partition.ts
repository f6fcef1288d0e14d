import type { Marks } from './counters.ts'
import type { StoredRow } from './memory-item.ts'

/** One partition as it was read, with the counters as they were before. */
export class HeldPartition {
  readonly name: string
  readonly #rows: Map<string, StoredRow>
  readonly #readAt = performance.now()
  readonly #marks: Map<string, number>
  #holders: Map<string, StoredRow[]> | null = null

  constructor(name: string, marks: Marks, rows: readonly StoredRow[]) {
    this.name = name
    this.#marks = new Map(marks)
    this.#rows = new Map(rows.map((stored) => [stored.row.memory.id, stored]))
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
  holders(token: string): readonly StoredRow[] {
    if (this.#holders === null) {
      this.#holders = new Map()
      for (const stored of this.#rows.values()) {
        for (const each of stored.row.tokens) {
          const list = this.#holders.get(each)
          if (list) list.push(stored)
          else this.#holders.set(each, [stored])
        }
      }
    }
    return this.#holders.get(token) ?? []
  }

  isCurrent(marks: Marks): boolean {
    if (marks.size !== this.#marks.size) return false
    return [...marks].every(([shard, writes]) => this.#marks.get(shard) === writes)
  }

  /** One more write is expected on this shard: our own. */
  expect(shard: string): void {
    this.#marks.set(shard, (this.#marks.get(shard) ?? 0) + 1)
  }

  set(stored: StoredRow): void {
    this.#rows.set(stored.row.memory.id, stored)
    this.#holders = null
  }

  delete(id: string): void {
    this.#rows.delete(id)
    this.#holders = null
  }
}
