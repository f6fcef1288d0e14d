import { COMMON_TOKEN } from '../search-query.ts'
import type { Queries } from './client.ts'

/** Milliseconds that a count may be old; half of it later it is counted again, beside the search that uses it. */
const OLDEST_MS = 60_000
const MOST_KEYS = 20_000

/** How many memories hold a common token of a scope. Reading all of them takes long, and tells little. */
export class TokenCounts {
  readonly #known = new Map<string, { n: number; at: number }>()
  readonly #counting = new Set<string>()

  /** The count, when it is known to be of a common token. */
  known(key: string): number | null {
    const entry = this.#known.get(key)
    return entry && performance.now() - entry.at < OLDEST_MS ? entry.n : null
  }

  /** Counts those again that will soon be too old. */
  refresh(queries: Queries, keys: readonly string[]): void {
    const soon = performance.now() - OLDEST_MS / 2
    const old = keys.filter((key) => (this.#known.get(key)?.at ?? soon) < soon && !this.#counting.has(key))
    // Whoever needs it counts again, where this one fails.
    if (old.length > 0) this.count(queries, old).catch(() => {})
  }

  /** Counts the tokens of whole scopes; remembers the common ones. */
  async count(queries: Queries, keys: readonly string[]): Promise<number[]> {
    for (const key of keys) this.#counting.add(key)
    try {
      const at = performance.now()
      const rows = await queries.query<{ n: number }>(
        `SELECT (SELECT count(*)::int FROM memories m WHERE m.tokens @> ARRAY[q.key]) AS n
         FROM unnest($1::text[]) WITH ORDINALITY AS q(key, i) ORDER BY q.i`,
        [keys],
      )
      if (this.#known.size > MOST_KEYS) this.#known.clear()
      for (const [i, key] of keys.entries()) {
        if (rows[i]!.n > COMMON_TOKEN) this.#known.set(key, { n: rows[i]!.n, at })
        else this.#known.delete(key)
      }
      return rows.map(({ n }) => n)
    } finally {
      for (const key of keys) this.#counting.delete(key)
    }
  }
}
