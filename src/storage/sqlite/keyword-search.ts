import { tokenize } from '../../model/tokens.ts'
import type { KeywordMatches, KeywordQuery } from '../storage.ts'
import type { Connection } from './connection.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory } from './row.ts'
import { selectScopes } from './scopes.ts'
import { whereConditions } from './where.ts'

/**
 * Postings that one search may rank. Common words cost the most and say the least: in a scope larger than this only the
 * rarest terms that stay below it are looked up; the engine still weighs all terms in what is found.
 */
const RANKED_POSTINGS = 4000
/** Frequencies from here on are expensive to count and change slowly, so they are remembered. */
const REMEMBERED_FREQUENCY = 2000
const REMEMBERED_MS = 60_000

export class KeywordSearch {
  readonly #connection: Connection
  readonly #common = new Map<string, { frequency: number; until: number }>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  search({ scope, terms, where, limit }: KeywordQuery): KeywordMatches {
    return this.#connection.read(() => {
      const phrases = terms.map((term) => tokenize(term))
      const frequencies = phrases.map((phrase) =>
        phrase.length === 0 ? 0 : Math.min(...phrase.map((token) => this.#frequency(token))),
      )
      const documentCount = this.#documentCount()
      const scopes = selectScopes(this.#connection, scope)
      const found = terms
        .map((term, i) => ({ term, frequency: frequencies[i]! }))
        .filter(({ frequency }) => frequency > 0)
        .sort((a, b) => a.frequency - b.frequency)
      const chosen = this.#isLarge(scopes) ? withinBudget(found) : found
      if (scopes.length === 0 || chosen.length === 0) return { memories: [], documentCount, frequencies }

      const match = `scope : (${scopes.map((key) => `s${key}`).join(' OR ')}) AND {observation labels} : (${chosen
        .map(({ term }) => quote(term))
        .join(' OR ')})`
      const ranked =
        chosen.reduce((sum, { frequency }) => sum + frequency, 0) <= RANKED_POSTINGS || !this.#isLarge(scopes)
      const condition = whereConditions(where)
      const rows = this.#connection.all<MemoryRow>(
        `SELECT ${SELECT_MEMORY} FROM (
           SELECT m.id, row_number() OVER () AS position FROM (
             SELECT f.rowid FROM memories_fts f JOIN memories m ON m.id = f.rowid WHERE f.memories_fts MATCH ?${condition.sql}
             ORDER BY ${ranked ? 'bm25(memories_fts, 0.0, 1.0, 1.0)' : 'f.rowid DESC'} LIMIT ?
           ) r JOIN memories m ON m.id = r.rowid
         ) best JOIN memories m ON m.id = best.id ORDER BY best.position`,
        match,
        ...condition.values,
        limit,
      )
      return { memories: rows.map(toMemory), documentCount, frequencies }
    })
  }

  #isLarge(scopes: readonly number[]): boolean {
    const { n } = this.#connection.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM memories WHERE scope_key IN (SELECT value FROM json_each(?)) LIMIT ${RANKED_POSTINGS})`,
      JSON.stringify(scopes),
    )!
    return n === RANKED_POSTINGS
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

/** The rarest terms that together stay within the postings one search may rank; at least one. */
function withinBudget<Term extends { frequency: number }>(byRarity: readonly Term[]): Term[] {
  let sum = 0
  return byRarity.filter((term, i) => {
    sum += term.frequency
    return i === 0 || sum <= RANKED_POSTINGS
  })
}

/** As an FTS5 string: whatever is inside is text, never syntax. */
function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
