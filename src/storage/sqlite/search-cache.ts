import type { Memory } from '../../model/memory.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import { sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { SELECT_MEMORY, SELECTED, type StoredRow, selectVector, toMemory } from './row.ts'

/** The cache limit for each kind; above it, all of that kind is dropped. A memory with its vector takes about 4 KB. */
const MOST_MEMORIES = 12_000
const MOST_MARKS = 50_000
const MOST_POSTINGS = 500_000

/** The data needed to rank rows. */
export interface RowMark {
  createdAt: string
  ulid: string
  visibleUntil: string
}

/** Caches what searches read until the next write. All methods run inside a read transaction. */
export class SearchCache {
  readonly #connection: Connection
  readonly #model: CurrentModel
  #generation = ''
  /** null: the row cannot be read. */
  readonly #memories = new Map<number, StoredMemory | null>()
  readonly #marks = new Map<number, RowMark>()
  readonly #postings = new Map<string, readonly number[]>()
  #postingCount = 0

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
  }

  /** Clears the cache if anything was written since the last call. */
  refresh(): void {
    const generation = this.#connection.generation()
    if (generation === this.#generation) return
    this.#generation = generation
    this.#memories.clear()
    this.#marks.clear()
    this.#forgetPostings()
  }

  /**
   * The memories of these rows with their vectors; null for a damaged one. The objects belong to the cache: see
   * `copyOf`.
   */
  memories(...lists: readonly (readonly number[])[]): ReadonlyMap<number, StoredMemory | null> {
    const known = this.#memories
    const missing = new Set<number>()
    const collect = () => {
      for (const ids of lists) for (const id of ids) if (!known.has(id)) missing.add(id)
    }
    collect()
    if (missing.size === 0) return known
    if (known.size + missing.size > MOST_MEMORIES) {
      known.clear()
      collect()
    }
    this.#readMemories([...missing])
    return known
  }

  /** The ranking data of these rows; deleted rows are left out. */
  marks(ids: readonly number[]): ReadonlyMap<number, RowMark> {
    let missing = ids.filter((id) => !this.#marks.has(id))
    if (this.#marks.size + missing.length > MOST_MARKS) {
      this.#marks.clear()
      missing = [...ids]
    }
    if (missing.length > 0) {
      const rows = this.#connection.all<RowMark & { id: number }>(
        `SELECT m.id, m.created_at AS createdAt, m.ulid, m.visible_until AS visibleUntil
         FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value`,
        JSON.stringify(missing),
      )
      for (const { id, createdAt, ulid, visibleUntil } of rows) this.#marks.set(id, { createdAt, ulid, visibleUntil })
    }
    return this.#marks
  }

  /** The rows that match an expression of the token index, in ascending order as FTS5 returns them. */
  postings(expression: string): readonly number[] {
    const known = this.#postings.get(expression)
    if (known) return known
    const { rows } = this.#connection.get<{ rows: string }>(
      'SELECT json_group_array(rowid) AS rows FROM memory_tokens WHERE memory_tokens MATCH ?',
      expression,
    )!
    const ids = JSON.parse(rows) as number[]
    if (this.#postingCount + ids.length > MOST_POSTINGS) this.#forgetPostings()
    this.#postings.set(expression, ids)
    this.#postingCount += ids.length + 1
    return ids
  }

  #forgetPostings(): void {
    this.#postings.clear()
    this.#postingCount = 0
  }

  #readMemories(ids: readonly number[]): void {
    const rows = this.#connection.rows(
      sql`SELECT m.id, ${SELECT_MEMORY}, ${selectVector(this.#model)}
        FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN memories m ON m.id = j.value`,
    )
    const { dimensions } = this.#model
    for (const values of rows) {
      const row = toRow(values)
      const vector = row.vector?.byteLength === dimensions * 2 ? decodeFloat16(row.vector, dimensions) : null
      const memory = readable(row)
      this.#memories.set(row.id, memory && { memory, vector })
    }
  }
}

const COLUMNS = ['id', ...SELECTED, 'vector']

function toRow(values: readonly unknown[]): StoredRow & { id: number } {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < COLUMNS.length; i++) row[COLUMNS[i]!] = values[i]
  return row as unknown as StoredRow & { id: number }
}

function readable(row: StoredRow): Memory | null {
  try {
    return toMemory(row)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
