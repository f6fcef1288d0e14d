import { ChunkMemory } from './chunk-memory.ts'
import { KeyTable } from './key-table.ts'
import { assertKey, assertPage, PAGE_SLOTS, type PackedPage } from './packed-page.ts'
import { type Match, TopK } from './top-k.ts'

const MAX_DIMENSIONS = 4096
/** Looking up and scoring a single key costs about as much as scanning this many rows. */
const ROWS_PER_LOOKUP = 8

export interface VectorSearch {
  scopes: readonly number[]
  limit: number
  /** Epoch milliseconds. Entries visible only until `now` or earlier are skipped. null: no expiry check. */
  visibleAt: number | null
  /** If given, only these keys count. */
  allow?: ReadonlySet<number>
}

interface Chunk {
  readonly id: number
  readonly scope: Scope
  /** Entries in it. */
  live: number
  /** Rows a scan must look at: one more than the last row in use. */
  rows: number
}

interface Scope {
  readonly chunks: Set<Chunk>
  /** Chunks of the scope with an empty slot. */
  readonly open: Set<Chunk>
}

/**
 * Exact search over int8 copies of unit vectors. Entries belong to scopes, a scope owns whole chunks, and a search reads
 * only the chunks of the scopes it names. Scores are approximate cosines: take more than needed and rerank with floats.
 */
export class VectorIndex {
  readonly dimensions: number
  readonly #memory: ChunkMemory
  readonly #table: KeyTable
  readonly #scopes = new Map<number, Scope>()
  readonly #chunks: Chunk[] = []

  constructor(dimensions: number) {
    if (!(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS)) {
      throw new RangeError(`dimensions must be 1 to ${MAX_DIMENSIONS}, got ${dimensions}`)
    }
    this.dimensions = dimensions
    this.#memory = new ChunkMemory(dimensions)
    this.#table = new KeyTable((slot) => this.#memory.keyOf(slot))
  }

  /** Including hidden entries. */
  get size(): number {
    return this.#table.count
  }

  /** Whether the scope has been loaded, even if it is empty. */
  hasScope(scope: number): boolean {
    return this.#scopes.has(scope)
  }

  /** Marks a scope as loaded. */
  addScope(scope: number): void {
    if (!this.#scopes.has(scope)) this.#scopes.set(scope, { chunks: new Set(), open: new Set() })
  }

  /** Removes a scope with its entries; its chunks are reused. */
  dropScope(scope: number): void {
    for (const chunk of this.#scopes.get(scope)?.chunks ?? []) {
      for (let row = 0; row < chunk.rows; row++) {
        const key = this.#memory.keyOf(chunk.id * PAGE_SLOTS + row)
        if (key !== 0) this.#table.delete(key)
      }
      this.#memory.release(chunk.id)
    }
    this.#scopes.delete(scope)
  }

  /** Adds the entries of a stored page, which never expire, and marks the scope as loaded. Replaces existing keys. */
  loadPage(scope: number, page: PackedPage): void {
    assertPage(page, this.dimensions)
    this.addScope(scope)
    const rows = page.keys.findLastIndex((key) => key !== 0) + 1
    if (rows === 0) return
    const chunk = this.#openChunk(this.#loaded(scope))
    this.#memory.writePage(chunk.id, page)
    chunk.rows = rows
    for (let row = 0; row < rows; row++) if (page.keys[row] !== 0) chunk.live++
    for (let row = 0; row < rows; row++) {
      const key = page.keys[row]!
      if (key === 0) continue
      this.remove(key)
      this.#table.add(chunk.id * PAGE_SLOTS + row)
    }
    if (chunk.live === PAGE_SLOTS) chunk.scope.open.delete(chunk)
  }

  /** Inserts or replaces, and moves the key to `scope`, which must be loaded. Keeps its visibility; a new entry is visible. */
  put(scope: number, key: number, vector: Float32Array): void {
    assertKey(key)
    const target = this.#loaded(scope)
    const old = this.#table.get(key)
    if (old >= 0 && this.#chunkOf(old).scope === target) {
      this.#memory.write(old, key, vector)
      return
    }
    const chunk = target.open.values().next().value ?? this.#openChunk(target)
    const slot = this.#emptySlot(chunk)
    this.#memory.write(slot, key, vector)
    this.#memory.setVisibleUntil(slot, old < 0 ? Infinity : this.#memory.visibleUntil(old))
    if (old >= 0) this.remove(key)
    this.#table.add(slot)
    chunk.live++
    chunk.rows = Math.max(chunk.rows, (slot % PAGE_SLOTS) + 1)
    if (chunk.live === PAGE_SLOTS) target.open.delete(chunk)
  }

  /** Ignores unknown keys. */
  remove(key: number): void {
    const slot = this.#table.get(key)
    if (slot < 0) return
    const chunk = this.#chunkOf(slot)
    this.#table.delete(key)
    this.#memory.erase(slot)
    chunk.live--
    if (chunk.live === 0) {
      chunk.scope.chunks.delete(chunk)
      chunk.scope.open.delete(chunk)
      this.#memory.release(chunk.id)
      return
    }
    chunk.scope.open.add(chunk)
    while (this.#memory.keyOf(chunk.id * PAGE_SLOTS + chunk.rows - 1) === 0) chunk.rows--
  }

  /** Epoch milliseconds; Infinity: always visible, -Infinity: never. Ignores unknown keys. */
  setVisibleUntil(key: number, time: number): void {
    if (Number.isNaN(time)) throw new RangeError('a time must be in epoch milliseconds')
    const slot = this.#table.get(key)
    if (slot >= 0) this.#memory.setVisibleUntil(slot, time)
  }

  /** The best entries of loaded scopes, best first, equal scores by key. */
  search(query: Float32Array, request: VectorSearch): Match[] {
    const { limit, allow } = request
    if (!(Number.isInteger(limit) && limit >= 0)) throw new RangeError(`limit must be 0 or more, got ${limit}`)
    if (Number.isNaN(request.visibleAt)) throw new RangeError('visibleAt must be a time in epoch milliseconds')
    const scopes = new Set(request.scopes.map((scope) => this.#loaded(scope)))
    this.#memory.setQuery(query)
    if (limit === 0) return []
    // NaN compares false with everything, so no entry counts as hidden.
    const visibleAfter = request.visibleAt ?? Number.NaN
    const best = new TopK(limit)
    let rows = 0
    for (const scope of scopes) for (const chunk of scope.chunks) rows += chunk.rows
    if (allow && allow.size * ROWS_PER_LOOKUP < rows) this.#scoreEach(allow, scopes, visibleAfter, best)
    else this.#scanAll(scopes, visibleAfter, allow, best)
    return best.sorted()
  }

  #scoreEach(keys: ReadonlySet<number>, scopes: ReadonlySet<Scope>, visibleAfter: number, best: TopK): void {
    const memory = this.#memory
    for (const key of keys) {
      const slot = this.#table.get(key)
      if (slot < 0 || !scopes.has(this.#chunkOf(slot).scope)) continue
      if (memory.visibleUntil(slot) <= visibleAfter) continue
      best.offer(key, memory.score(slot))
    }
  }

  #scanAll(scopes: ReadonlySet<Scope>, visibleAfter: number, allow: ReadonlySet<number> | undefined, best: TopK): void {
    const memory = this.#memory
    for (const scope of scopes) {
      for (const chunk of scope.chunks) {
        const hits = memory.scan(chunk.id, chunk.rows, best.threshold)
        for (let hit = 0; hit < hits; hit++) {
          const row = memory.hitRow(hit)
          const score = memory.hitScore(row)
          if (score < best.threshold) continue
          const slot = chunk.id * PAGE_SLOTS + row
          if (memory.visibleUntil(slot) <= visibleAfter) continue
          const key = memory.keyOf(slot)
          if (allow === undefined || allow.has(key)) best.offer(key, score)
        }
      }
    }
  }

  #loaded(scope: number): Scope {
    const found = this.#scopes.get(scope)
    if (!found) throw new Error(`scope ${scope} is not loaded in the vector index`)
    return found
  }

  #chunkOf(slot: number): Chunk {
    return this.#chunks[slot >>> 8]!
  }

  #openChunk(scope: Scope): Chunk {
    const chunk: Chunk = { id: this.#memory.allocate(), scope, live: 0, rows: 0 }
    this.#chunks[chunk.id] = chunk
    scope.chunks.add(chunk)
    scope.open.add(chunk)
    return chunk
  }

  #emptySlot(chunk: Chunk): number {
    const first = chunk.id * PAGE_SLOTS
    // Without gaps the next row is free; otherwise an earlier one is.
    if (chunk.live === chunk.rows) return first + chunk.rows
    let slot = first
    while (this.#memory.keyOf(slot) !== 0) slot++
    return slot
  }
}
