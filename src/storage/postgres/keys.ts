import { createHash } from 'node:crypto'
import type { Queries } from './client.ts'

/** An index entry is limited in size, at up to three bytes a character. */
const LONGEST_KEY = 800

/** A once-key or commit key in stored form. Keys from outside never begin with the mark. */
export function storedKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : `\u0001${createHash('sha256').update(key).digest('hex')}`
}

export async function knownKeys(queries: Queries, keys: readonly string[]): Promise<Set<string>> {
  const sql = 'SELECT key FROM once_keys WHERE key = ANY ($1::text[])'
  const rows = await queries.query<{ key: string }>(sql, [keys.map(storedKey)])
  const taken = new Set(rows.map((row) => row.key))
  return new Set(keys.filter((key) => taken.has(storedKey(key))))
}
