import { PAGE_SLOTS, type PackedPage, packPage } from '../../vector/packed-page.ts'
import type { Embedding } from '../storage.ts'
import type { Connection } from './connection.ts'

/** Where a memory's row stands among the vectors. */
export interface VectorPosition {
  id: number
  scope_key: number
  vector_page: number | null
}

/**
 * The stored vectors. Each text's vector is kept once, by hash; a scope's vectors are packed into pages of 256 as they
 * accumulate, and what is not packed yet (the tail) is read row by row. All methods run inside a write transaction.
 */
export class VectorPages {
  readonly #connection: Connection
  readonly #models = new Map<string, number>()
  /** Unpacked vectors by scope, as far as this process knows, and the scopes that grew in this transaction. */
  readonly #tails = new Map<number, number>()
  readonly #grown = new Set<number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Forgets what a rolled-back transaction may have made untrue. */
  reset(): void {
    this.#models.clear()
    this.#tails.clear()
    this.#grown.clear()
  }

  /** The integer that stands for a model in this file; null when none of its vectors were ever stored. */
  findModel(name: string): number | null {
    const known = this.#models.get(name)
    if (known !== undefined) return known
    const id = this.#connection.get<{ id: number }>('SELECT id FROM models WHERE name = ?', name)?.id
    if (id !== undefined) this.#models.set(name, id)
    return id ?? null
  }

  /** Keeps a vector and returns its row. */
  store({ model, hash, vector }: Embedding): number {
    const id = this.findModel(model) ?? this.#connection.run('INSERT INTO models (name) VALUES (?)', model).id
    const key = Buffer.from(hash, 'hex')
    const added = this.#connection.run(
      'INSERT INTO embeddings (model, hash, vector) VALUES (?, ?, ?) ON CONFLICT (model, hash) DO NOTHING',
      id,
      key,
      toBytes(vector),
    )
    if (added.changes > 0) return added.id
    return this.#connection.get<{ id: number }>('SELECT id FROM embeddings WHERE model = ? AND hash = ?', id, key)!.id
  }

  /** Gives a memory another vector, or none. */
  assign(row: VectorPosition, embedding: Embedding | null): void {
    const stored = this.replace(row, embedding)
    this.#connection.run('UPDATE memories SET embedding_id = ?, vector_page = NULL WHERE id = ?', stored, row.id)
  }

  /** Takes a memory's vector off its page and keeps another; returns that one's row, for the caller to put into the memory's. */
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

  /** Tells every process that vectors changed without a change to their memories: what it holds, it must read again. */
  announce(): void {
    this.#connection.run(`UPDATE settings SET value = value + 1 WHERE name = 'vector_epoch'`)
  }

  /** Packs the tails that have become long enough, and takes out what other tools made untrue. */
  pack(): void {
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

  #packTail(scopeKey: number): number {
    const rows = this.#connection.all<{ id: number; model: number; vector: Uint8Array }>(
      `SELECT m.id, e.model, e.vector FROM memories m JOIN embeddings e ON e.id = m.embedding_id
       WHERE m.scope_key = ? AND m.embedding_id IS NOT NULL AND m.vector_page IS NULL ORDER BY m.id`,
      scopeKey,
    )
    let left = rows.length
    for (const [model, ofModel] of Map.groupBy(rows, (row) => row.model)) {
      for (let start = 0; start + PAGE_SLOTS <= ofModel.length; start += PAGE_SLOTS) {
        this.#writePage(scopeKey, model, ofModel.slice(start, start + PAGE_SLOTS))
        left -= PAGE_SLOTS
      }
    }
    return left
  }

  #writePage(scopeKey: number, model: number, rows: readonly { id: number; vector: Uint8Array }[]): void {
    const entries = rows.map((row) => ({ key: row.id, vector: toVector(row.vector) }))
    const page = packPage(entries, entries[0]!.vector.length)
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

export function toBytes(array: Float32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

export function toVector(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4)
}

function toKeys(bytes: Uint8Array): Float64Array {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 8)
}

export function toPage(row: { keys: Uint8Array; scales: Uint8Array; codes: Uint8Array }): PackedPage {
  return {
    keys: toKeys(row.keys),
    scales: toVector(row.scales),
    codes: new Int8Array(row.codes.buffer, row.codes.byteOffset, row.codes.byteLength),
  }
}
