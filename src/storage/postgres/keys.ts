import { createHash } from 'node:crypto'
import type { Queries } from './client.ts'

/** What an index entry holds is bounded; three bytes a character at most. */
const LONGEST_KEY = 800

/** A once-key or commit key as it is stored. No key from outside begins with the mark. */
export function storedKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : `\u0001${createHash('sha256').update(key).digest('hex')}`
}

export async function knownKeys(queries: Queries, keys: readonly string[]): Promise<Set<string>> {
  const sql = 'SELECT key FROM once_keys WHERE key = ANY ($1::text[])'
  const rows = await queries.query<{ key: string }>(sql, [keys.map(storedKey)])
  const taken = new Set(rows.map((row) => row.key))
  return new Set(keys.filter((key) => taken.has(storedKey(key))))
}
