import { type Conditions, isNarrowed } from '../conditions.ts'
import { COMMON_TOKEN, tokenWeight } from '../search-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { type Place, tasksOf } from '../sql/places.ts'
import { sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { SQLITE } from './dialect.ts'
import { addUp, best, inOrder, leastOf, type MarkedRow, type Postings, type Weighed } from './postings.ts'
import type { SearchCache } from './search-cache.ts'
import { indexed } from './token-index.ts'

/** How long the frequency of a common token is cached. */
const REMEMBERED_MS = 60_000
const MOST_REMEMBERED = 10_000
/** The most scopes in one expression. */
const SCOPES_AT_ONCE = 100

interface TokenMatches {
  ids: number[]
  documents: number
  frequencies: number[]
}

interface Reach {
  /** Whole scopes; null for all. */
  scopes: readonly number[] | null
  /** Scopes of which only the rows in `single` count. */
  others: readonly number[]
  single: ReadonlySet<number>
  documents: number
}

/**
 * Finds memories by token. Reads each token's rows from the index as one list and sums them here: FTS5 ranking costs
 * ten times as much, and the engine scores the results anyway. All methods run inside a read transaction.
 */
export class TokenSearch {
  readonly #connection: Connection
  readonly #model: CurrentModel
  readonly #cache: SearchCache
  readonly #common = new Map<string, { frequency: number; until: number }>()

  constructor(connection: Connection, model: CurrentModel, cache: SearchCache) {
    this.#connection = connection
    this.#model = model
    this.#cache = cache
  }

  search(place: Place, tokens: readonly string[], where: Conditions, limit: number): TokenMatches {
    const reach = this.#reachOf(place)
    const { documents } = reach
    const lists = tokens.map((token) => this.#read(token, reach))
    const frequencies = lists.map((list) => (typeof list === 'number' ? list : list.length))
    // A common token is only read if there is no rarer one.
    const rarer = lists.some((list) => typeof list !== 'number' && list.length > 0)
    const read: Postings[] = []
    for (const [i, list] of lists.entries()) {
      if (typeof list === 'number' && rarer) continue
      const rows = typeof list === 'number' ? this.#list(tokens[i]!, reach) : list
      if (rows.length > 0) read.push({ rows, weight: tokenWeight(documents, frequencies[i]!) })
    }
    return { ids: this.#choose(read, where, limit), documents, frequencies }
  }

  /** The readable scopes, with individual rows for the tasks of sections. */
  #reachOf({ scopes, sections, documents }: Place): Reach {
    const single = new Set<number>()
    const others = new Set<number>()
    for (const section of sections) {
      const rows = this.#connection.all<{ id: number; key: number }>(
        sql`SELECT m.id, m.scope_key AS key FROM memories m WHERE ${tasksOf(SQLITE, section, scopes ?? [])}`,
      )
      for (const { id, key } of rows) {
        single.add(id)
        others.add(key)
      }
    }
    return { scopes, others: [...others], single, documents: documents + single.size }
  }

  /** The rows with a token; only their number if it is common. */
  #read(token: string, reach: Reach): readonly number[] | number {
    const key = `${indexed(token, '')} ${reach.scopes} ${reach.others}`
    const known = this.#common.get(key)
    if (known && known.until > Date.now()) return known.frequency
    const list = this.#list(token, reach)
    if (list.length <= COMMON_TOKEN) return list
    if (this.#common.size >= MOST_REMEMBERED) this.#common.clear()
    this.#common.set(key, { frequency: list.length, until: Date.now() + REMEMBERED_MS })
    return list.length
  }

  #list(token: string, { scopes, others, single }: Reach): readonly number[] {
    if (scopes === null) return this.#cache.postings(`"${indexed(token, '')}" *`)
    const whole = this.#matchScopes(token, scopes)
    if (others.length === 0) return whole
    return inOrder([...whole, ...this.#matchScopes(token, others).filter((id) => single.has(id))])
  }

  #matchScopes(token: string, scopes: readonly number[]): readonly number[] {
    const match = (some: readonly number[]) =>
      this.#cache.postings(some.map((scope) => `"${indexed(token, scope)}"`).join(' OR '))
    if (scopes.length === 0) return []
    if (scopes.length <= SCOPES_AT_ONCE) return match(scopes)
    const ids: number[] = []
    for (let start = 0; start < scopes.length; start += SCOPES_AT_ONCE) {
      for (const id of match(scopes.slice(start, start + SCOPES_AT_ONCE))) ids.push(id)
    }
    return inOrder(ids)
  }

  /** The heaviest rows that meet the conditions; ties go to the newest. */
  #choose(lists: readonly Postings[], where: Conditions, limit: number): number[] {
    let sum = addUp(lists, limit)
    for (let looked = limit; ; looked *= 4) {
      const { ids, weights } = sum
      const least = leastOf(weights, looked)
      // Rows of equal weight are checked together, newest first.
      const heaviest: number[] = []
      for (let i = 0; i < ids.length; i++) if (weights[i]! >= least) heaviest.push(i)
      const fit = this.#meeting(sum, heaviest, where)
      if (fit.length >= limit || (sum.whole && looked >= ids.length)) return best(fit, limit)
      if (!sum.whole) sum = addUp(lists)
    }
  }

  #meeting({ ids, weights }: Weighed, places: readonly number[], where: Conditions): MarkedRow[] {
    const rows = places.map((i) => ids[i]!)
    const marks = this.#cache.marks(rows)
    const allowed = isNarrowed(where) ? this.#allowed(rows, where) : null
    const { visibleAt } = where
    const fit: MarkedRow[] = []
    for (const i of places) {
      const id = ids[i]!
      const mark = marks.get(id)
      if (mark === undefined || (allowed && !allowed.has(id))) continue
      if (visibleAt === undefined || mark.visibleUntil > visibleAt) fit.push({ id, weight: weights[i]!, mark })
    }
    return fit
  }

  #allowed(ids: readonly number[], where: Conditions): ReadonlySet<number> {
    const condition = whereConditions(where, SQLITE, this.#model.find())
    const found = this.#connection.all<{ id: number }>(
      sql`SELECT m.id FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN memories m ON m.id = j.value WHERE 1${condition}`,
    )
    return new Set(found.map((row) => row.id))
  }
}
