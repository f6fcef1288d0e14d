import { MemoryError } from '../model/errors.ts'
import { shownUrl } from './shown-url.ts'

/** As people paste it: in quotes, with spaces around it. */
const AROUND = /^(["'`])(.*)\1$/s
const SCHEME = /^([a-z][a-z0-9+.-]*)\s*:(.*)$/is
/** A letter alone is a drive of Windows, and a file may have a colon in its name. */
const KINDS = ['sqlite', 'postgres', 'postgresql', 'dynamodb', 'http', 'https', 'memory']

/**
 * The address of a store, as every part of the program reads it: without the quotes and spaces around it, its kind in small letters. What has
 * no kind is the path of a SQLite file, unless it names a server or holds a password: that is refused, and never made a file.
 */
export function storeAddress(given: string): { kind: string; rest: string; url: string } {
  const trimmed = given.trim()
  const url = (AROUND.exec(trimmed)?.[2] ?? trimmed).trim()
  const [, scheme, rest] = SCHEME.exec(url) ?? []
  const kind = scheme?.toLowerCase()
  if (kind !== undefined && KINDS.includes(kind)) return { kind, rest: rest!, url: `${kind}:${rest}` }
  // An unknown kind, a kind without its colon, quotes on one side: it was to be an address.
  const isName = scheme !== undefined && scheme.length > 1 && !scheme.includes('.')
  if (url.includes('://') || isName || /^["'`]/.test(url)) {
    const use = 'sqlite:path, postgres://host/database, dynamodb://region, https://server or memory:'
    // What follows a name alone may be a password.
    const shown = url.includes('://') ? shownUrl(url) : isName ? `${scheme}:...` : 'what is in quotes'
    throw new MemoryError('CONFIGURATION_ERROR', `Cannot open '${shown}': use ${use}.`, {
      details: { key: 'db', ...(kind === undefined ? {} : { scheme: kind }) },
    })
  }
  return { kind: 'sqlite', rest: url, url: `sqlite:${url}` }
}
