import { dot } from '../../vector/dot.ts'
import { VectorIndex } from '../../vector/vector-index.ts'
import type { VectorMatch, VectorQuery } from '../storage.ts'
import type { Connection } from './connection.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory } from './row.ts'
import { selectScopes } from './scopes.ts'
import { toPage, toVector, type VectorPages } from './vector-pages.ts'
import { isNarrowed, whereConditions } from './where.ts'

/** Candidates that the coarse scan hands to the exact comparison: enough that the best ten are never missed. */
const RERANKED = 40
/** Past this many changes, reading the pages again is quicker than following. */
const FOLLOWED_CHANGES = 20_000

/**
 * Nearest neighbours inside the scopes a reader may see. The scopes that were asked for are held in memory, quantised;
 * every search first follows what this and other processes wrote since the last one, through the history.
 */
export class VectorSearch {
  readonly #connection: Connection
  readonly #pages: VectorPages
  readonly #indexes = new Map<number, VectorIndex>()
  #position = { seq: 0, epoch: '' }

  constructor(connection: Connection, pages: VectorPages) {
    this.#connection = connection
    this.#pages = pages
  }

  search({ scope, vector, model, where, limit }: VectorQuery): VectorMatch[] {
    return this.#connection.read(() => {
      const modelId = this.#pages.findModel(model)
      if (modelId === null) return []
      this.#follow()
      const scopes = selectScopes(this.#connection, scope)
      const index = this.#load(modelId, vector.length, scopes)
      const hits = index.search(vector, {
        scopes,
        limit: Math.max(RERANKED, limit + 20),
        now: (where.visibleAt ?? new Date()).getTime(),
        includeHidden: where.visibleAt === undefined,
        ...(isNarrowed(where) ? { allow: this.#allowed(scopes, where) } : {}),
      })
      return this.#rerank(hits, modelId, scopes, vector, limit)
    })
  }

  #follow(): void {
    const now = this.#connection.get<{ seq: number; epoch: string }>(
      `SELECT coalesce(max(seq), 0) AS seq, (SELECT value FROM settings WHERE name = 'vector_epoch') AS epoch FROM changes`,
    )!
    const behind = now.seq - this.#position.seq
    if (now.epoch !== this.#position.epoch || behind > FOLLOWED_CHANGES || behind < 0) this.#indexes.clear()
    else if (behind > 0 && this.#indexes.size > 0) this.#applyChanges(this.#position.seq)
    this.#position = now
  }

  #applyChanges(since: number): void {
    const rows = this.#connection.all<{
      id: number
      scope_key: number | null
      active: number
      expires_at: string | null
      model: number | null
      vector: Uint8Array | null
    }>(
      `SELECT c.row_id AS id, m.scope_key, m.active, m.expires_at, e.model, e.vector
       FROM (SELECT DISTINCT row_id FROM changes WHERE seq > ?) c
       LEFT JOIN memories m ON m.id = c.row_id LEFT JOIN embeddings e ON e.id = m.embedding_id`,
      since,
    )
    for (const [model, index] of this.#indexes) {
      for (const row of rows) {
        if (row.vector !== null && row.model === model && row.scope_key !== null && index.hasScope(row.scope_key)) {
          index.put(row.scope_key, row.id, toVector(row.vector))
          index.setVisibility(row.id, row.active === 1, expiry(row.expires_at))
        } else {
          index.remove(row.id)
        }
      }
    }
  }

  #load(model: number, dimensions: number, scopes: readonly number[]): VectorIndex {
    let index = this.#indexes.get(model)
    if (!index) {
      index = new VectorIndex(dimensions)
      this.#indexes.set(model, index)
    }
    for (const scope of scopes) if (!index.hasScope(scope)) this.#loadScope(index, model, scope)
    return index
  }

  /** A scope that could not be read whole is not held at all. */
  #loadScope(index: VectorIndex, model: number, scope: number): void {
    index.addScope(scope)
    try {
      this.#readScope(index, model, scope)
    } catch (error) {
      index.dropScope(scope)
      throw error
    }
  }

  #readScope(index: VectorIndex, model: number, scope: number): void {
    const removed = Map.groupBy(
      this.#connection.all<{ page: number; key: number }>('SELECT page, key FROM vector_removals'),
      (removal) => removal.page,
    )
    const pages = this.#connection.each<{ id: number; keys: Uint8Array; scales: Uint8Array; codes: Uint8Array }>(
      `SELECT p.id, p.keys, p.scales, c.codes FROM vector_pages p JOIN vector_page_codes c ON c.page = p.id
       WHERE p.scope_key = ? AND p.model = ? ORDER BY p.id`,
      scope,
      model,
    )
    for (const row of pages) {
      const page = toPage(row)
      for (const { key } of removed.get(row.id) ?? []) {
        const slot = page.keys.indexOf(key)
        if (slot >= 0) page.keys[slot] = 0
      }
      index.loadPage(scope, page)
    }
    const tail = this.#connection.all<{ id: number; vector: Uint8Array }>(
      `SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.id = m.embedding_id
       WHERE m.scope_key = ? AND m.embedding_id IS NOT NULL AND m.vector_page IS NULL AND e.model = ?`,
      scope,
      model,
    )
    for (const row of tail) index.put(scope, row.id, toVector(row.vector))
    const hidden = this.#connection.all<{ id: number; active: number; expires_at: string | null }>(
      'SELECT id, active, expires_at FROM memories WHERE scope_key = ? AND (active = 0 OR expires_at IS NOT NULL)',
      scope,
    )
    for (const row of hidden) index.setVisibility(row.id, row.active === 1, expiry(row.expires_at))
  }

  #allowed(scopes: readonly number[], where: VectorQuery['where']): Set<number> {
    const condition = whereConditions(where)
    const rows = this.#connection.all<{ id: number }>(
      `SELECT m.id FROM memories m WHERE m.scope_key IN (SELECT value FROM json_each(?))${condition.sql}`,
      JSON.stringify(scopes),
      ...condition.values,
    )
    return new Set(rows.map((row) => row.id))
  }

  #rerank(
    hits: readonly { key: number }[],
    model: number,
    scopes: readonly number[],
    query: Float32Array,
    limit: number,
  ): VectorMatch[] {
    if (hits.length === 0) return []
    const vectors = this.#connection.all<{ id: number; vector: Uint8Array }>(
      `SELECT m.id, e.vector FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value
       JOIN embeddings e ON e.id = m.embedding_id WHERE e.model = ? AND m.scope_key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(hits.map((hit) => hit.key)),
      model,
      JSON.stringify(scopes),
    )
    const nearest = vectors
      .map((row) => {
        const vector = toVector(row.vector)
        // Nothing compares with NaN: a vector cut short would drop out in silence.
        if (vector.length !== query.length) throw new RangeError(`a stored vector has ${vector.length} numbers`)
        return { id: row.id, vector, cosine: dot(query, vector) }
      })
      .sort((a, b) => b.cosine - a.cosine || b.id - a.id)
      .slice(0, limit)
    const rows = this.#connection.all<MemoryRow>(
      `SELECT ${SELECT_MEMORY} FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value ORDER BY j.key`,
      JSON.stringify(nearest.map((match) => match.id)),
    )
    return nearest.map(({ cosine, vector }, i) => ({ memory: toMemory(rows[i]!), cosine, vector }))
  }
}

function expiry(time: string | null): number {
  return time === null ? Number.POSITIVE_INFINITY : Date.parse(time)
}
