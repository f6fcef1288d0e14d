import { redactSecrets } from '../../guard/redact-secrets.ts'
import { sanitizeText } from '../../guard/sanitize.ts'
import { Refused } from './refused.ts'

export const ROOT = '/memories'

const MOST_CHARACTERS = 512
const MOST_SEGMENT = 128

/**
 * A path in stored form: absolute, composed (NFC), without a trailing slash. There is no file system behind it,
 * so nothing outside can be reached. A path that could mean another place once exported to a disk
 * is refused too: dots, encoded or look-alike dots and slashes, backslashes, invisible characters.
 */
export function readPath(given: string): string {
  const path = given.normalize('NFC').replace(/\/$/, '')
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) {
    throw new Refused(`Path must start with ${ROOT}, got: ${quoted(given)}`)
  }
  const segments = path.split('/').slice(2)
  if (path.length > MOST_CHARACTERS || segments.some((segment) => segment.length > MOST_SEGMENT)) {
    throw new Refused(`The path ${quoted(given)} is too long`)
  }
  if (!isPlain(path, segments)) throw new Refused(`The path ${quoted(given)} is not allowed`)
  return path
}

function isPlain(path: string, segments: readonly string[]): boolean {
  const lookAlike = path.normalize('NFKC')
  if (sanitizeText(path) !== path || redactSecrets(path).text !== path) return false
  if (/[\\<>:"|?*\u2044\u2215\u29F8]|%(?:25)*(?:2e|2f|5c|00)/i.test(lookAlike)) return false
  if (lookAlike.split('/').length !== path.split('/').length) return false
  return segments.every((segment) => segment !== '' && !/^[.\s]+$|^~|[.\s]$/.test(segment.normalize('NFKC')))
}

/** The model's path for a message: short, and on one line. */
function quoted(path: string): string {
  const clean = sanitizeText(path)
  return clean.length > 100 ? `${clean.slice(0, 99)}…` : clean
}

export function parentsOf(path: string): string[] {
  const segments = path.split('/').slice(2, -1)
  return segments.map((_, i) => `${ROOT}/${segments.slice(0, i + 1).join('/')}`)
}
