import { createHash } from 'node:crypto'
import { looksRandom } from '../guard/secret-value.ts'

/**
 * A part of a path as a part of a project's name. Paths of remotes and folders may hold tokens, so a part that looks
 * random is replaced by its hash.
 */
export function safePart(part: string): string {
  return looksRandom(part) ? `x-${createHash('sha256').update(part).digest('hex').slice(0, 12)}` : part
}
