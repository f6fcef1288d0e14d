import { createHash } from 'node:crypto'

/** What an index entry holds is bounded; three bytes a character at most. */
const LONGEST_KEY = 800

/** A once-key or commit key as it is stored. No key from outside begins with the mark. */
export function storedKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : `\u0001${createHash('sha256').update(key).digest('hex')}`
}
