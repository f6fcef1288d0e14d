import { COMMON_TOKEN, type SearchQuery, tokenWeight } from '../search-query.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { SELECT_MEMORY, SELECT_VECTOR, type StoredRow } from './row.ts'
import { type Place, tasksOf } from './scopes.ts'
import { indexed } from './token-index.ts'
import { whereConditions } from './where.ts'

/** How long the frequency of a common token is remembered. */
const REMEMBERED_MS = 60_000
const MOST_REMEMBERED = 10_000
/** Rows looked at together when the best are checked against the conditions. */
const PART = 100
/** Scopes asked for in one expression. */
const SCOPES_AT_ONCE = 100

interface TokenMatches {
  rows: (StoredRow & { id: number })[]
  documents: number
  frequencies: number[]
}

/**
 * Finds memories by token. Each token's rows come from the index as one list, and are added up here: asking FTS5 to rank them
 * costs ten times as much, and the engine scores what is found anyway. All methods run inside a read transaction.
 */
export class TokenSearch {
  readonly #connection: Connection
  readonly #model: CurrentModel
  readonly #common = new Map<string, { frequency: number; until: number }>()

  constructor(connection: Connection, model: CurrentModel) {
    this.#connection = connection
    this.#model = model
  }

  search(place: Place, { tokens, where, limit }: Pick<SearchQuery, 'tokens' | 'where' | 'limit'>): TokenMatches {
    const reach = this.#reachOf(place)
    const lists = tokens.map((token) => this.#read(token, reach))
    const { documents } = reach
    const frequencies = lists.map((list) => (typeof list === 'number' ? list : list.length))
    // A common token is only read where no rarer one tells more.
    const rarer = lists.some((list) => typeof list !== 'number' && list.length > 0)
    const weights = new Map<number, number>()
    for (const [i, list] of lists.entries()) {
      if (typeof list === 'number' && rarer) continue
      const weight = tokenWeight(documents, frequencies[i]!)
      const rows = typeof list === 'number' ? this.#list(tokens[i]!, reach) : list
      for (const id of rows) weights.set(id, (weights.get(id) ?? 0) + weight)
    }
    return { rows: this.#readBest(weights, where, limit), documents, frequencies }
  }

  /** What may be read, with the rows of sections' tasks one by one. */
  #reachOf({ scopes, sections, documents }: Place): Reach {
    const single = new Set<number>()
    const others = new Set<number>()
    for (const section of sections) {
      const { sql, values } = tasksOf(section, scopes ?? [])
      const rows = this.#connection.all<{ id: number; key: number }>(
        `SELECT m.id, m.scope_key AS key FROM memories m WHERE ${sql}`,
        ...values,
      )
      for (const { id, key } of rows) {
        single.add(id)
        others.add(key)
      }
    }
    return { scopes, others: [...others], single, documents: documents + single.size }
  }

  /** The rows that hold a token; only their number where it is known to be great. */
  #read(token: string, reach: Reach): number[] | number {
    const key = JSON.stringify([token, reach.scopes, reach.others])
    const known = this.#common.get(key)
    if (known && known.until > Date.now()) return known.frequency
    const list = this.#list(token, reach)
    if (list.length <= COMMON_TOKEN) return list
    if (this.#common.size >= MOST_REMEMBERED) this.#common.clear()
    this.#common.set(key, { frequency: list.length, until: Date.now() + REMEMBERED_MS })
    return list.length
  }

  #list(token: string, { scopes, others, single }: Reach): number[] {
    if (scopes === null) return this.#match(`"${indexed(token, '')}" *`)
    const ofTasks = this.#matchScopes(token, others).filter((id) => single.has(id))
    return [...this.#matchScopes(token, scopes), ...ofTasks]
  }

  #matchScopes(token: string, scopes: readonly number[]): number[] {
    const ids: number[] = []
    for (let start = 0; start < scopes.length; start += SCOPES_AT_ONCE) {
      const part = scopes.slice(start, start + SCOPES_AT_ONCE)
      ids.push(...this.#match(part.map((scope) => `"${indexed(token, scope)}"`).join(' OR ')))
    }
    return ids
  }

  #match(expression: string): number[] {
    const { rows } = this.#connection.get<{ rows: string }>(
      'SELECT json_group_array(rowid) AS rows FROM memory_tokens WHERE memory_tokens MATCH ?',
      expression,
    )!
    return JSON.parse(rows) as number[]
  }

  /** The heaviest rows that meet the conditions; of equal ones the newest. */
  #readBest(weights: ReadonlyMap<number, number>, where: SearchQuery['where'], limit: number): TokenMatches['rows'] {
    const model = this.#model.find()
    const condition = whereConditions(where, model)
    const ranked = [...weights].sort((a, b) => b[1] - a[1])
    const best: TokenMatches['rows'] = []
    for (let start = 0; start < ranked.length && best.length < limit; ) {
      let end = Math.min(start + PART, ranked.length)
      // Whoever weighs the same is looked at together: the newest of them come first.
      while (end < ranked.length && ranked[end]![1] === ranked[end - 1]![1]) end++
      best.push(
        ...this.#connection.all<TokenMatches['rows'][number]>(
          `SELECT m.id, ${SELECT_MEMORY}, ${SELECT_VECTOR} FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value ->> 0
           WHERE 1${condition.sql} ORDER BY j.value ->> 1 DESC, m.created_at DESC, m.ulid DESC LIMIT ?`,
          model,
          JSON.stringify(ranked.slice(start, end)),
          ...condition.values,
          limit - best.length,
        ),
      )
      start = end
    }
    return best
  }
}

interface Reach {
  /** Whole scopes; null is every one. */
  scopes: readonly number[] | null
  /** Scopes of which only the rows in `single` count. */
  others: readonly number[]
  single: ReadonlySet<number>
  documents: number
}
