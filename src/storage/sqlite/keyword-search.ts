import { tokenize } from '../../text/tokens.ts'
import type { KeywordMatches, KeywordQuery } from '../storage.ts'
import type { Connection } from './connection.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory } from './row.ts'
import { selectScopes } from './scopes.ts'
import { whereConditions } from './where.ts'

/**
 * Postings that one search may read. Common words cost the most and say the least: in a scope larger than this only the
 * rarest terms that stay below it are looked up; the engine still weighs all terms in what is found.
 */
const MOST_POSTINGS = 2000
/** Frequencies from here on are expensive to count and change slowly, so they are remembered. */
const REMEMBERED_FREQUENCY = 200
const REMEMBERED_MS = 60_000
/** Rows looked at together when the best are checked against scope and conditions. */
const PART = 100

interface FoundTerm {
  term: string
  frequency: number
}

/**
 * Finds memories by word. Each term's rows come from the text index as one list, and are added up here: asking FTS5 to rank them
 * (bm25) costs ten times as much, and the engine scores what is found anyway.
 */
export class KeywordSearch {
  readonly #connection: Connection
  readonly #large = new Set<number>()
  readonly #common = new Map<string, { frequency: number; until: number }>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  search({ scope, terms, where, limit }: KeywordQuery): KeywordMatches {
    return this.#connection.read(() => {
      const frequencies = terms.map((term) => {
        const tokens = tokenize(term)
        return tokens.length === 0 ? 0 : Math.min(...tokens.map((token) => this.#frequency(token)))
      })
      const documentCount = this.#documentCount()
      const scopes = selectScopes(this.#connection, scope)
      const found = terms
        .map((term, i) => ({ term, frequency: frequencies[i]! }))
        .filter(({ frequency }) => frequency > 0)
      if (scopes.length === 0 || found.length === 0) return { memories: [], documentCount, frequencies }
      const ranked = this.#isLarge(scopes)
        ? this.#rank(withinBudget(found), documentCount, '')
        : this.#rank(found, documentCount, `scope : (${scopes.map((key) => `s${key}`).join(' OR ')}) AND `)
      return { memories: this.#readBest(ranked, scopes, where, limit), documentCount, frequencies }
    })
  }

  /** The rows that hold any of the terms, those with the most and rarest first, then the newest. */
  #rank(terms: readonly FoundTerm[], documents: number, inScope: string): number[] {
    const weights = new Map<number, number>()
    for (const { term, frequency } of terms) {
      const weight = Math.log(1 + documents / frequency)
      const row = this.#connection.get<{ rows: string }>(
        'SELECT json_group_array(rowid) AS rows FROM memories_fts WHERE memories_fts MATCH ?',
        `${inScope}{observation labels} : ${quote(term)}`,
      )!
      for (const id of JSON.parse(row.rows) as number[]) weights.set(id, (weights.get(id) ?? 0) + weight)
    }
    return [...weights].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([id]) => id)
  }

  #readBest(ranked: readonly number[], scopes: readonly number[], where: KeywordQuery['where'], limit: number) {
    const condition = whereConditions(where)
    const best: MemoryRow[] = []
    for (let start = 0; start < ranked.length && best.length < limit; start += PART) {
      best.push(
        ...this.#connection.all<MemoryRow>(
          `SELECT ${SELECT_MEMORY} FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value
           WHERE m.scope_key IN (SELECT value FROM json_each(?))${condition.sql} ORDER BY j.key LIMIT ?`,
          JSON.stringify(ranked.slice(start, start + PART)),
          JSON.stringify(scopes),
          ...condition.values,
          limit - best.length,
        ),
      )
    }
    return best.map(toMemory)
  }

  /** Once large, a scope is taken to stay so: scopes seldom shrink, and then the search only finds a little less. */
  #isLarge(scopes: readonly number[]): boolean {
    if (scopes.some((scope) => this.#large.has(scope))) return true
    const { n } = this.#connection.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM memories WHERE scope_key IN (SELECT value FROM json_each(?)) LIMIT ${MOST_POSTINGS})`,
      JSON.stringify(scopes),
    )!
    if (n === MOST_POSTINGS && scopes.length === 1) this.#large.add(scopes[0]!)
    return n === MOST_POSTINGS
  }

  #frequency(token: string): number {
    const known = this.#common.get(token)
    if (known && known.until > Date.now()) return known.frequency
    const frequency =
      this.#connection.get<{ doc: number }>('SELECT doc FROM memories_terms WHERE term = ?', token)?.doc ?? 0
    if (frequency >= REMEMBERED_FREQUENCY) this.#common.set(token, { frequency, until: Date.now() + REMEMBERED_MS })
    return frequency
  }

  /** Rows ever inserted: counting the living ones would read an index from end to end. */
  #documentCount(): number {
    return this.#connection.get<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'memories'`)?.seq ?? 0
  }
}

/** The rarest terms that together stay within the postings one search may read; at least one. */
function withinBudget(terms: readonly FoundTerm[]): FoundTerm[] {
  let sum = 0
  return terms
    .toSorted((a, b) => a.frequency - b.frequency)
    .filter(({ frequency }, i) => {
      sum += frequency
      return i === 0 || sum <= MOST_POSTINGS
    })
}

/** As an FTS5 string: whatever is inside is text, never syntax. */
function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
