import { dot } from '../../vector/dot.ts'
import { TopK } from '../../vector/top-k.ts'
import type { StoredMemory } from '../memory-query.ts'
import type { Found, SearchQuery } from '../search-query.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { findPlaces, type Place } from './scopes.ts'
import { copyOf, SearchCache } from './search-cache.ts'
import { TokenSearch } from './token-search.ts'
import { VectorSearch } from './vector-search.ts'

/** Both ways of searching, on one snapshot. All methods run inside a read transaction. */
export class Search {
  readonly #connection: Connection
  readonly #cache: SearchCache
  readonly #vectors: VectorSearch
  readonly #tokens: TokenSearch

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#cache = new SearchCache(connection, model)
    this.#vectors = new VectorSearch(connection, model)
    this.#tokens = new TokenSearch(connection, model, this.#cache)
  }

  answer(queries: readonly SearchQuery[]): Found[] {
    const places = findPlaces(this.#connection, queries)
    this.#cache.refresh()
    if (queries.some((query) => query.vector !== null)) this.#vectors.follow()
    return queries.map((query, i) => this.#find(query, places[i]!))
  }

  #find({ where, vector, tokens, limit }: SearchQuery, place: Place): Found {
    const { ids, documents, frequencies } = this.#tokens.search(place, tokens, where, limit)
    const near = vector === null ? [] : this.#vectors.search(place, where, vector, limit)
    const read = this.#cache.memories(ids, near)
    const wanted = new Set(ids)
    if (vector !== null) for (const id of nearest(read, near, vector, limit)) wanted.add(id)
    const candidates: StoredMemory[] = []
    for (const id of wanted) {
      const stored = read.get(id)
      if (stored) candidates.push(copyOf(stored))
    }
    return { candidates, documents, frequencies }
  }
}

/** The scan compared coarse codes: the vectors themselves decide who is among the nearest. */
function nearest(
  read: ReadonlyMap<number, StoredMemory | null>,
  ids: readonly number[],
  query: Float32Array,
  limit: number,
): number[] {
  const best = new TopK(limit)
  for (const id of ids) {
    const vector = read.get(id)?.vector
    // Of equal ones the newer stays, and a smaller key is what stays there.
    if (vector) best.offer(-id, dot(query, vector))
  }
  return best.sorted().map(({ key }) => -key)
}
