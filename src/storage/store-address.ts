import { wrongSetting } from '../model/errors.ts'
import { shownUrl } from './shown-url.ts'

/** As people paste it: in quotes, with spaces around it. */
const AROUND = /^(["'`])(.*)\1$/s
/** A letter alone is a drive of Windows, and a file may have a colon in its name. */
const SCHEME = /^([a-z][a-z0-9+-]+)\s*:(.*)$/is
const SERVERS = ['postgres', 'postgresql', 'dynamodb', 'http', 'https']
/** In a path it means that an address was to be given: it would become a file with a password in its name. */
const ADDRESS = /:\/\/|^[^/]+\/\/|^["'`‘“]/
const HOW = 'use sqlite:path, postgres://host/database, dynamodb://region, https://server or memory:.'

/**
 * The address of a store, as every part of the program reads it: without the quotes and spaces around it, its kind in small letters. What has
 * no kind is the path of a SQLite file, unless it names a server or holds a password: that is refused, and never made a file.
 */
export function storeAddress(given: string): { kind: string; rest: string; url: string } {
  const trimmed = given.trim()
  const text = (AROUND.exec(trimmed)?.[2] ?? trimmed).trim()
  const [, scheme = 'sqlite', rest = text] = SCHEME.exec(text) ?? []
  const kind = scheme.toLowerCase()
  const isRight = SERVERS.includes(kind)
    ? rest.startsWith('//')
    : kind === 'memory' || (kind === 'sqlite' && !ADDRESS.test(rest))
  if (isRight) return { kind, rest, url: `${kind}:${rest}` }
  throw wrongSetting('db', `Cannot open '${withoutSecrets(text)}': ${HOW}`)
}

/** Whether it names a server, whose engine is used, and not a store. */
export function isServer(given: string): boolean {
  return /^\s*["'`]?https?:/i.test(given)
}

/** What is no URL may hold a password anywhere. */
function withoutSecrets(text: string): string {
  const shown = shownUrl(text)
  if (shown !== text) return shown
  return text.includes('://') && !text.includes('@') ? text : `${/^[a-z][a-z0-9+-]*/i.exec(text)?.[0] ?? ''}...`
}
