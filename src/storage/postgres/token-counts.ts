import { COMMON_TOKEN } from '../search-query.ts'
import type { Queries } from './client.ts'

/** Maximum age of a count in milliseconds. After half of that it is refreshed alongside the search that uses it. */
const OLDEST_MS = 60_000
const MOST_KEYS = 20_000

/** How many memories contain a common token of a scope. Reading all of them would be slow and say little. */
export class TokenCounts {
  readonly #known = new Map<string, { n: number; at: number }>()
  readonly #counting = new Set<string>()

  /** The count, if the token is known to be common. */
  known(key: string): number | null {
    const entry = this.#known.get(key)
    return entry && performance.now() - entry.at < OLDEST_MS ? entry.n : null
  }

  /** Refreshes counts that will soon expire. */
  refresh(queries: Queries, keys: readonly string[]): void {
    const soon = performance.now() - OLDEST_MS / 2
    const old = keys.filter((key) => (this.#known.get(key)?.at ?? soon) < soon && !this.#counting.has(key))
    // If this fails, the next search that needs it counts again.
    if (old.length > 0) this.count(queries, old).catch(() => {})
  }

  /** Counts the tokens of whole scopes; caches the common ones. */
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
