import { decodeFloat16 } from '../../vector/float16.ts'
import { VectorIndex } from '../../vector/vector-index.ts'
import { type Conditions, isNarrowed } from '../conditions.ts'
import { whereConditions } from '../sql/conditions.ts'
import { type Place, tasksOf } from '../sql/places.ts'
import { sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { SQLITE } from './dialect.ts'
import { partsOf } from './scopes.ts'
import { toPackedPage } from './vector-pages.ts'

/** Extra candidates from the coarse scan, so that the true best are among them. */
const SPARE = 12
/** Above this many changes, reading the pages again is faster than following the history. */
const FOLLOWED_CHANGES = 20_000
/** How far ahead expiry times are loaded. */
const HORIZON_MS = 86_400_000

/**
 * Nearest neighbours inside the readable scopes. Scopes are cached in memory, quantised; each search first applies the
 * changes of this and other processes from the history. All methods run inside a read transaction.
 */
export class VectorSearch {
  readonly #connection: Connection
  readonly #model: CurrentModel
  #index: VectorIndex
  /** The time up to which each scope's expiries are loaded. */
  readonly #horizons = new Map<number, number>()
  #position = { seq: 0, epoch: '' }

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
    this.#index = new VectorIndex(model.dimensions)
  }

  follow(): void {
    const now = this.#connection.get<{ seq: number; epoch: string }>(
      `SELECT coalesce(max(seq), 0) AS seq, (SELECT value FROM settings WHERE name = 'vector_epoch') AS epoch FROM changes`,
    )!
    const behind = now.seq - this.#position.seq
    if (now.epoch !== this.#position.epoch || behind > FOLLOWED_CHANGES || behind < 0) this.#forget()
    else if (behind > 0 && this.#horizons.size > 0) this.#applyChanges(this.#position.seq)
    this.#position = now
  }

  /** The nearest rows by their coarse codes, and some spare. */
  search(place: Place, where: Conditions, vector: Float32Array, limit: number): number[] {
    if (vector.length !== this.#model.dimensions) {
      throw new RangeError(`expected a vector of ${this.#model.dimensions} dimensions, got ${vector.length}`)
    }
    const visibleAt = where.visibleAt === undefined ? null : Date.parse(where.visibleAt)
    const scopes = this.#scopesOf(place)
    for (const scope of scopes) this.#load(scope, visibleAt)
    const narrowed = isNarrowed(where) || place.sections.length > 0
    const hits = this.#index.search(vector, {
      scopes,
      limit: limit + SPARE,
      visibleAt,
      ...(narrowed ? { allow: this.#allowed(place, where) } : {}),
    })
    return hits.map((hit) => hit.key)
  }

  #forget(): void {
    this.#index = new VectorIndex(this.#model.dimensions)
    this.#horizons.clear()
  }

  #applyChanges(since: number): void {
    const rows = this.#connection.all<{
      id: number
      scope_key: number | null
      visible_until: string | null
      vector: Uint8Array | null
    }>(
      `SELECT c.row_id AS id, m.scope_key, m.visible_until, e.vector
       FROM (SELECT DISTINCT row_id FROM changes WHERE seq > ?) c LEFT JOIN memories m ON m.id = c.row_id
       LEFT JOIN embeddings e ON e.id = m.embedding_id AND e.model = ?`,
      since,
      this.#model.find(),
    )
    for (const row of rows) {
      if (row.vector !== null && row.scope_key !== null && this.#horizons.has(row.scope_key)) {
        this.#put(row.scope_key, row.id, row.vector)
        this.#index.setVisibleUntil(row.id, toTime(row.visible_until ?? ''))
      } else {
        this.#index.remove(row.id)
      }
    }
  }

  /** A damaged vector is skipped, so that the others are still found. */
  #put(scope: number, id: number, bytes: Uint8Array): void {
    const { dimensions } = this.#model
    if (bytes.byteLength === dimensions * 2) this.#index.put(scope, id, decodeFloat16(bytes, dimensions))
    else this.#index.remove(id)
  }

  #scopesOf({ scopes, sections }: Place): number[] {
    if (scopes === null) return this.#connection.all<{ id: number }>('SELECT id FROM scopes').map((row) => row.id)
    if (sections.length === 0) return scopes
    const others = sections.flatMap((section) =>
      this.#connection.all<{ key: number }>(
        sql`SELECT DISTINCT m.scope_key AS key FROM memories m WHERE ${tasksOf(SQLITE, section, scopes)}`,
      ),
    )
    return [...new Set([...scopes, ...others.map((row) => row.key)])]
  }

  #load(scope: number, visibleAt: number | null): void {
    if (!this.#horizons.has(scope)) this.#readScope(scope)
    const known = this.#horizons.get(scope)!
    if (visibleAt === null || visibleAt < known) return
    const horizon = visibleAt + HORIZON_MS
    const leaving = this.#connection.all<{ id: number; visible_until: string }>(
      'SELECT id, visible_until FROM memories WHERE scope_key = ? AND visible_until >= ? AND visible_until < ?',
      scope,
      known === Number.NEGATIVE_INFINITY ? '' : new Date(known).toISOString(),
      new Date(horizon).toISOString(),
    )
    for (const row of leaving) this.#index.setVisibleUntil(row.id, toTime(row.visible_until))
    this.#horizons.set(scope, horizon)
  }

  /** A scope that could not be read completely is not cached. */
  #readScope(scope: number): void {
    this.#index.addScope(scope)
    try {
      this.#readPages(scope)
      this.#readVectors(scope, 'm.vector_page IS NULL')
    } catch (error) {
      this.#index.dropScope(scope)
      throw error
    }
    this.#horizons.set(scope, Number.NEGATIVE_INFINITY)
  }

  #readPages(scope: number): void {
    const removed = Map.groupBy(
      this.#connection.all<{ page: number; key: number }>('SELECT page, key FROM vector_removals'),
      (removal) => removal.page,
    )
    const rows = this.#connection.each<{ id: number; keys: Uint8Array; scales: Uint8Array; codes: Uint8Array }>(
      `SELECT p.id, p.keys, p.scales, c.codes FROM vector_pages p JOIN vector_page_codes c ON c.page = p.id
       WHERE p.scope_key = ? AND p.model = ? ORDER BY p.id`,
      scope,
      this.#model.find(),
    )
    for (const row of rows) {
      try {
        const page = toPackedPage(row)
        for (const { key } of removed.get(row.id) ?? []) {
          const slot = page.keys.indexOf(key)
          if (slot >= 0) page.keys[slot] = 0
        }
        this.#index.loadPage(scope, page)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        // Pages are copies: if one is unreadable, the vectors themselves are read.
        this.#readVectors(scope, `m.vector_page = ${row.id}`)
      }
    }
  }

  #readVectors(scope: number, which: string): void {
    const rows = this.#connection.all<{ id: number; vector: Uint8Array }>(
      `SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.id = m.embedding_id
       WHERE m.scope_key = ? AND m.embedding_id IS NOT NULL AND ${which} AND e.model = ?`,
      scope,
      this.#model.find(),
    )
    for (const row of rows) this.#put(scope, row.id, row.vector)
  }

  #allowed(place: Place, where: Conditions): Set<number> {
    const condition = whereConditions(where, SQLITE, this.#model.find())
    // As one text: passing thousands of rows costs more than finding them.
    const lists = partsOf(place).map((part) =>
      this.#connection.get<{ ids: string }>(
        sql`SELECT json_group_array(m.id) AS ids FROM memories m WHERE ${part}${condition}`,
      ),
    )
    return new Set(lists.flatMap((list) => JSON.parse(list!.ids) as number[]))
  }
}

/** A value that is not a time means visible for ever, as in a text comparison. */
function toTime(until: string): number {
  if (until === '') return Number.NEGATIVE_INFINITY
  const time = Date.parse(until)
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time
}
