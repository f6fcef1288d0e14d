import type { Row } from '../reference/data.ts'
import type { VectorModel } from '../storage.ts'
import type { Item } from './attributes.ts'
import type { Cause } from './feed.ts'
import { fromMemoryItem, type StoredRow } from './memory-item.ts'
import type { Place } from './place.ts'
import { readTime } from './read-time.ts'

/** What searches need of every memory of a partition. */
interface Columns {
  place: Place
  id: string
  /** null if the item is not in our format. */
  revision: number | null
  visibleUntil: string
  /** The model of its vector; null if it has none. */
  model: string | null
  tokens: readonly string[]
  /** 16-bit floats, as stored. */
  vector: Uint8Array | null
}

/** A memory in a cached partition. It is parsed when it is first shown: a partition has thousands. */
export class HeldRow implements Columns {
  readonly place: Place
  readonly id: string
  readonly revision: number | null
  readonly visibleUntil: string
  readonly model: string | null
  readonly tokens: readonly string[]
  readonly vector: Uint8Array | null
  readonly cause: Cause | null
  /** The item without its vector: see `textOfItem`. */
  readonly text: () => string
  readonly #parse: () => Row
  #row: Row | null = null
  #createdAt: string | null = null

  constructor(columns: Columns, text: () => string, cause: Cause | null, parse: () => Row) {
    const { place, id, revision, visibleUntil, model, tokens, vector } = columns
    this.place = place
    this.id = id
    this.revision = revision
    this.visibleUntil = visibleUntil
    this.model = model
    this.tokens = tokens
    this.vector = vector
    this.text = text
    this.cause = cause
    this.#parse = parse
  }

  /** null if the item is not a memory. */
  static of(item: Item, model: VectorModel | null, cause: Cause | null = null): HeldRow | null {
    const stored = fromMemoryItem(item, model)
    return stored && HeldRow.parsed(stored, textOfItem(item), cause)
  }

  static parsed({ row, vector, place, revision }: StoredRow, text: string, cause: Cause | null): HeldRow {
    const { memory, visibleUntil, tokens, embedding } = row
    const model = embedding && vector ? embedding.model : null
    const columns = { place, id: memory.id, revision, visibleUntil, model, tokens, vector }
    return new HeldRow(
      columns,
      () => text,
      cause,
      () => row,
    )
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

  /** The same memory under another id: see `distinct`. */
  named(id: string): HeldRow {
    const parse = () => ({ ...this.row, memory: { ...this.row.memory, id } })
    return new HeldRow({ ...columnsOf(this), id }, this.text, this.cause, parse)
  }

  isSame(other: HeldRow): boolean {
    return this.text() === other.text() && isEqual(this.vector, other.vector)
  }
}

function columnsOf(row: HeldRow): Columns {
  const { place, id, revision, visibleUntil, model, tokens, vector } = row
  return { place, id, revision, visibleUntil, model, tokens, vector }
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}

/** An item without its vector, as JSON. Equal items have equal texts: DynamoDB keeps no order of attributes. */
export function textOfItem({ vector: _, ...item }: Item): string {
  return JSON.stringify(item, (_name, value: unknown) => {
    if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const sets = value as { SS?: string[]; NS?: string[] }
    if (sets.SS) return { SS: sets.SS.toSorted() }
    if (sets.NS) return { NS: sets.NS.toSorted() }
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const BYTES = '$bytes'
