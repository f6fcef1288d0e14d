import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../reference/data.ts'
import type { VectorModel } from '../storage.ts'
import type { Item } from './attributes.ts'
import { fromMemoryItem, type StoredRow } from './memory-item.ts'
import type { Place } from './place.ts'
import { readTime } from './read-time.ts'

/** What searches need of every memory of a partition. */
export interface Columns {
  place: Place
  id: string
  /** null if the item is not in our format. */
  revision: number | null
  visibleUntil: string
  /** The model of its vector; null if it has none. */
  model: string | null
  /** 16-bit floats, as stored. null if it has none, or it is in an index outside. */
  vector: Uint8Array | null
}

/** A memory in a cached partition. A copy from the disk is parsed when it is first shown: a partition has thousands. */
export class HeldRow implements Columns {
  readonly place: Place
  readonly id: string
  readonly revision: number | null
  readonly visibleUntil: string
  readonly model: string | null
  vector: Uint8Array | null
  readonly #parse: () => Row
  #row: Row | null = null
  #createdAt: string | null = null

  constructor(columns: Columns, parse: () => Row) {
    const { place, id, revision, visibleUntil, model, vector } = columns
    this.place = place
    this.id = id
    this.revision = revision
    this.visibleUntil = visibleUntil
    this.model = model
    this.vector = vector
    this.#parse = parse
  }

  /** null if the item is not a memory. */
  static of(item: Item, model: VectorModel | null): HeldRow | null {
    const stored = fromMemoryItem(item, model)
    return stored && HeldRow.parsed(stored)
  }

  static parsed({ row, vector, place, revision }: StoredRow): HeldRow {
    const { memory, visibleUntil, embedding } = row
    const model = embedding && vector ? embedding.model : null
    return new HeldRow({ place, id: memory.id, revision, visibleUntil, model, vector }, () => row)
  }

  /** As in the memory. */
  get createdAt(): string {
    this.#createdAt ??= readTime(this.place.createdAt) ?? ''
    return this.#createdAt
  }

  get row(): Row {
    this.#row ??= this.#parse()
    return this.#row
  }

  get tokens(): readonly string[] {
    return this.row.tokens
  }

  /** Whether its vector of this model is in an index outside. */
  isOutside(model: string): boolean {
    return this.model === model && this.vector === null
  }

  /** The vector is in an index outside now. */
  release(): void {
    this.vector = null
  }

  get textHash(): string | null {
    return this.row.embedding?.hash ?? null
  }

  /** The same memory under another id: see `distinct`. */
  named(id: string): HeldRow {
    return new HeldRow({ ...columnsOf(this), id }, () => ({ ...this.row, memory: { ...this.row.memory, id } }))
  }

  /** Besides the vector, which does not change without the text. */
  isSame(other: HeldRow): boolean {
    return this.revision === other.revision && isDeepStrictEqual(this.row, other.row)
  }
}

function columnsOf(row: HeldRow): Columns {
  const { place, id, revision, visibleUntil, model, vector } = row
  return { place, id, revision, visibleUntil, model, vector }
}
