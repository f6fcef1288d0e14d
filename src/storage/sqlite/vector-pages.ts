import { MemoryError } from '../../model/errors.ts'
import { decodeFloat16, encodeFloat16 } from '../../vector/float16.ts'
import { PAGE_SLOTS, type PackedPage, packPage } from '../../vector/packed-page.ts'
import type { Embedding } from '../commit.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'

export interface VectorPosition {
  id: number
  scope_key: number
  vector_page: number | null
}

/**
 * The stored vectors. Each text's vector is stored once, by hash. A scope's vectors are packed into pages of 256; those
 * not yet packed (the tail) are read row by row. All methods run inside a write transaction.
 */
export class VectorPages {
  readonly #connection: Connection
  readonly #model: CurrentModel
  /** The number of unpacked vectors per scope, as far as known here, and the scopes that grew in this transaction. */
  readonly #tails = new Map<number, number>()
  readonly #grown = new Set<number>()
  #announced = false

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
  }

  /** Clears cached values that a rollback may have undone. */
  reset(): void {
    this.#tails.clear()
    this.#grown.clear()
    this.#announced = false
  }

  /** Stores a vector and returns its row. The first vector of a text is kept. */
  store({ hash, vector }: Embedding): number {
    const { dimensions } = this.#model
    if (vector.length !== dimensions) {
      throw new MemoryError('INVALID_INPUT', `A vector has ${vector.length} dimensions instead of ${dimensions}.`)
    }
    const model = this.#model.ensure()
    const key = Buffer.from(hash, 'hex')
    const added = this.#connection.run(
      'INSERT INTO embeddings (model, hash, vector) VALUES (?, ?, ?) ON CONFLICT (model, hash) DO NOTHING',
      model,
      key,
      encodeFloat16(vector),
    )
    if (added.changes > 0) return added.id
    return this.#connection.get<{ id: number }>('SELECT id FROM embeddings WHERE model = ? AND hash = ?', model, key)!
      .id
  }

  /** Removes a memory's vector from its page and stores another; returns the new row for the caller to save. */
  replace(row: VectorPosition, embedding: Embedding | null): number | null {
    if (row.vector_page !== null) this.#takeOut(row.id, row.vector_page)
    if (embedding) this.grow(row.scope_key)
    return embedding && this.store(embedding)
  }

  /** Notes that a scope gained an unpacked vector. */
  grow(scopeKey: number): void {
    this.#grown.add(scopeKey)
    const known = this.#tails.get(scopeKey)
    if (known !== undefined) this.#tails.set(scopeKey, known + 1)
  }

  /** Tells all processes to reload their cached vectors, because vectors changed without a change to their memories. */
  announce(): void {
    this.#announced = true
  }

  /** Ends a commit: packs tails that are long enough, and removes deleted vectors from pages. */
  pack(): void {
    if (this.#announced) this.#connection.run(`UPDATE settings SET value = value + 1 WHERE name = 'vector_epoch'`)
    this.#announced = false
    const removals = this.#connection.all<{ page: number; key: number }>('SELECT page, key FROM vector_removals')
    for (const { page, key } of removals) this.#takeOut(key, page)
    if (removals.length > 0) this.#connection.run('DELETE FROM vector_removals')
    for (const scopeKey of this.#grown) {
      const tail = this.#tails.get(scopeKey) ?? this.#countTail(scopeKey)
      this.#tails.set(scopeKey, tail < PAGE_SLOTS ? tail : this.#packTail(scopeKey))
    }
    this.#grown.clear()
  }

  #countTail(scopeKey: number): number {
    return this.#connection.get<{ n: number }>(
      'SELECT count(*) AS n FROM memories WHERE scope_key = ? AND embedding_id IS NOT NULL AND vector_page IS NULL',
      scopeKey,
    )!.n
  }

  /** Vectors of other models, and damaged ones, stay in the tail. */
  #packTail(scopeKey: number): number {
    const model = this.#model.find()
    const { dimensions } = this.#model
    const rows = this.#connection.all<{ id: number; vector: Uint8Array }>(
      `SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.id = m.embedding_id
       WHERE m.scope_key = ? AND m.embedding_id IS NOT NULL AND m.vector_page IS NULL AND e.model = ? ORDER BY m.id`,
      scopeKey,
      model,
    )
    const sound = rows.filter((row) => row.vector.byteLength === dimensions * 2)
    const whole = sound.length - (sound.length % PAGE_SLOTS)
    for (let start = 0; start < whole; start += PAGE_SLOTS) {
      this.#writePage(scopeKey, model, sound.slice(start, start + PAGE_SLOTS))
    }
    return sound.length - whole
  }

  #writePage(scopeKey: number, model: number, rows: readonly { id: number; vector: Uint8Array }[]): void {
    const { dimensions } = this.#model
    const page = packPage(
      rows.map((row) => ({ key: row.id, vector: decodeFloat16(row.vector, dimensions) })),
      dimensions,
    )
    const { id } = this.#connection.run(
      'INSERT INTO vector_pages (scope_key, model, keys, scales) VALUES (?, ?, ?, ?)',
      scopeKey,
      model,
      toBytes(page.keys),
      toBytes(page.scales),
    )
    this.#connection.run('INSERT INTO vector_page_codes (page, codes) VALUES (?, ?)', id, toBytes(page.codes))
    this.#connection.run(
      'UPDATE memories SET vector_page = ? WHERE id IN (SELECT value FROM json_each(?))',
      id,
      JSON.stringify(rows.map((row) => row.id)),
    )
  }

  #takeOut(rowId: number, pageId: number): void {
    const row = this.#connection.get<{ keys: Uint8Array }>('SELECT keys FROM vector_pages WHERE id = ?', pageId)
    if (!row) return
    const keys = toKeys(row.keys)
    const slot = keys.indexOf(rowId)
    if (slot >= 0) keys[slot] = 0
    if (keys.some((key) => key !== 0)) {
      this.#connection.run('UPDATE vector_pages SET keys = ? WHERE id = ?', toBytes(keys), pageId)
    } else {
      this.#connection.run('DELETE FROM vector_page_codes WHERE page = ?', pageId)
      this.#connection.run('DELETE FROM vector_pages WHERE id = ?', pageId)
    }
  }
}

function toBytes(array: Float32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Throws a RangeError for bytes that are not keys. */
function toKeys(bytes: Uint8Array): Float64Array {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 8)
}

export function toPackedPage(row: { keys: Uint8Array; scales: Uint8Array; codes: Uint8Array }): PackedPage {
  const scales = row.scales.byteOffset % 4 === 0 ? row.scales : row.scales.slice()
  return {
    keys: toKeys(row.keys),
    scales: new Float32Array(scales.buffer, scales.byteOffset, scales.byteLength / 4),
    codes: new Int8Array(row.codes.buffer, row.codes.byteOffset, row.codes.byteLength),
  }
}
