import { decodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import type { Found, SearchQuery } from '../search-query.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory } from './row.ts'
import { findPlaces, type Place } from './scopes.ts'
import { TokenSearch } from './token-search.ts'
import { VectorSearch } from './vector-search.ts'

/** Both ways of searching, on one snapshot. All methods run inside a read transaction. */
export class Search {
  readonly #connection: Connection
  readonly #model: CurrentModel
  readonly #vectors: VectorSearch
  readonly #tokens: TokenSearch

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
    this.#vectors = new VectorSearch(connection, model)
    this.#tokens = new TokenSearch(connection, model)
  }

  answer(queries: readonly SearchQuery[]): Found[] {
    const places = findPlaces(this.#connection, queries)
    if (queries.some((query) => query.vector !== null)) this.#vectors.follow()
    return queries.map((query, i) => this.#find(query, places[i]!))
  }

  #find({ where, vector, tokens, limit }: SearchQuery, place: Place): Found {
    const { rows, documents, frequencies } = this.#tokens.search(place, { tokens, where, limit })
    const candidates = new Map<number, StoredMemory>()
    for (const row of rows) {
      const memory = readable(row)
      if (memory) candidates.set(row.id, { memory, vector: this.#toVector(row.vector) })
    }
    if (vector !== null) {
      const near = this.#vectors.search(place, where, vector, limit)
      for (const row of this.#readRows([...near.keys()].filter((id) => !candidates.has(id)))) {
        const memory = readable(row)
        if (memory) candidates.set(row.id, { memory, vector: near.get(row.id)! })
      }
    }
    return { candidates: [...candidates.values()], documents, frequencies }
  }

  #readRows(ids: readonly number[]): (MemoryRow & { id: number })[] {
    if (ids.length === 0) return []
    return this.#connection.all(
      `SELECT m.id, ${SELECT_MEMORY} FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value`,
      JSON.stringify(ids),
    )
  }

  #toVector(bytes: Uint8Array | null): Float32Array | null {
    const { dimensions } = this.#model
    return bytes?.byteLength === dimensions * 2 ? decodeFloat16(bytes, dimensions) : null
  }
}

/** A damaged row must not keep all others from being found: it is left out here, and reported when it is read by itself. */
function readable(row: MemoryRow): ReturnType<typeof toMemory> | null {
  try {
    return toMemory(row)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
