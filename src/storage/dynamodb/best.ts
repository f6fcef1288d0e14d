import type { StoredRow } from './memory-item.ts'

export class Best {
  readonly #limit: number
  /** Best first. */
  readonly #kept: { stored: StoredRow; score: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  takes(stored: StoredRow, score: number): boolean {
    if (this.#kept.length < this.#limit) return true
    const worst = this.#kept.at(-1)
    return worst !== undefined && ranksBefore({ stored, score }, worst)
  }

  offer(stored: StoredRow, score: number): void {
    if (!this.takes(stored, score)) return
    const entry = { stored, score }
    let [low, high] = [0, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ranksBefore(entry, this.#kept[middle]!)) high = middle
      else low = middle + 1
    }
    this.#kept.splice(low, 0, entry)
    if (this.#kept.length > this.#limit) this.#kept.pop()
  }

  rows(): StoredRow[] {
    return this.#kept.map(({ stored }) => stored)
  }
}

interface Entry {
  stored: StoredRow
  score: number
}

function ranksBefore(a: Entry, b: Entry): boolean {
  if (a.score !== b.score) return a.score > b.score
  const [x, y] = [a.stored.row.memory, b.stored.row.memory]
  return x.createdAt === y.createdAt ? x.id > y.id : x.createdAt > y.createdAt
}
