import { dot } from '../../vector/dot.ts'
import { TopK } from '../../vector/top-k.ts'
import type { Conditions } from '../conditions.ts'
import { copyOf } from '../copy-stored.ts'
import type { StoredMemory } from '../memory-query.ts'
import type { Found, SearchQuery } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import type { Place } from '../sql/places.ts'
import { sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { SQLITE } from './dialect.ts'
import { findPlaces, partsOf } from './scopes.ts'
import { SearchCache } from './search-cache.ts'
import { TokenSearch } from './token-search.ts'
import { VectorSearch } from './vector-search.ts'

/** Vector and token search on one snapshot. All methods run inside a read transaction. */
export class Search {
  readonly #connection: Connection
  readonly #model: CurrentModel
  readonly #cache: SearchCache
  readonly #vectors: VectorSearch
  readonly #tokens: TokenSearch

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
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

  #find({ where, vector, tokens, limit, around = 0 }: SearchQuery, place: Place): Found {
    const { ids, documents, frequencies } = this.#tokens.search(place, tokens, where, limit)
    const near = vector === null ? [] : this.#vectors.search(place, where, vector, limit)
    const read = this.#cache.memories(ids, near)
    const wanted = new Set(ids)
    if (vector !== null) for (const id of nearest(read, near, vector, limit)) wanted.add(id)
    if (around > 0) this.#addAround(wanted, read, around, place, where)
    const candidates: StoredMemory[] = []
    for (const id of wanted) {
      const stored = read.get(id)
      if (stored) candidates.push(copyOf(stored))
    }
    return { candidates, documents, frequencies }
  }

  #addAround(wanted: Set<number>, read: Rows, around: number, place: Place, where: Conditions): void {
    const stretches = stretchesAround(wanted, read, around)
    if (stretches.length === 0) return
    const condition = whereConditions(where, SQLITE, this.#model.find())
    for (const part of partsOf(place)) {
      const rows = this.#connection.all<{ id: number }>(
        sql`SELECT m.id FROM json_each(${JSON.stringify(stretches)}) j CROSS JOIN memories m
         ON m.thread_id = j.value ->> 0 AND m.thread_index BETWEEN j.value ->> 1 AND j.value ->> 2
         WHERE ${part}${condition}`,
      )
      for (const { id } of rows) wanted.add(id)
    }
    this.#cache.memories([...wanted])
  }
}

type Rows = ReadonlyMap<number, StoredMemory | null>

/** Ranges of threads (thread, first, last) around these rows; adjacent ranges are merged. */
function stretchesAround(ids: Iterable<number>, read: Rows, around: number): (readonly [string, number, number])[] {
  const places = new Map<string, number[]>()
  for (const id of ids) {
    const thread = read.get(id)?.memory.thread
    if (!thread) continue
    const own = places.get(thread.id)
    if (own) own.push(thread.index)
    else places.set(thread.id, [thread.index])
  }
  return [...places].flatMap(([thread, indexes]) => {
    const stretches: [string, number, number][] = []
    for (const index of indexes.sort((a, b) => a - b)) {
      const last = stretches.at(-1)
      if (last !== undefined && index - around <= last[2] + 1) last[2] = index + around
      else stretches.push([thread, index - around, index + around])
    }
    return stretches
  })
}

/** The scan compared coarse codes; the real vectors decide which are nearest. */
function nearest(
  read: ReadonlyMap<number, StoredMemory | null>,
  ids: readonly number[],
  query: Float32Array,
  limit: number,
): number[] {
  const best = new TopK(limit)
  for (const id of ids) {
    const vector = read.get(id)?.vector
    // On a tie the newer wins: the smaller key is kept.
    if (vector) best.offer(-id, dot(query, vector))
  }
  return best.sorted().map(({ key }) => -key)
}
