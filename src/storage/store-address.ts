import { wrongSetting } from '../model/errors.ts'
import { shownUrl } from './shown-url.ts'

/** Pasted addresses may have quotes and spaces around them. */
const AROUND = /^(["'`])(.*)\1$/s
/** A single letter is a Windows drive, and a file name may contain a colon. */
const SCHEME = /^([a-z][a-z0-9+-]+)\s*:(.*)$/is
const SERVERS = ['postgres', 'postgresql', 'dynamodb', 'http', 'https']
/** A path with these was probably meant as an address; as a file, its name could contain a password. */
const ADDRESS = /:\/\/|^[^/]+\/\/|^["'`‘“]/
const HOW = 'use sqlite:path, postgres://host/database, dynamodb://region, https://server or memory:.'

/**
 * Parses the address of a store: strips quotes and spaces, lower-cases the scheme. Without a scheme it is the path of a
 * SQLite file, unless it names a server or contains a password, which is refused.
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

/** Whether it names a Nokosu server rather than a store. */
export function isServer(given: string): boolean {
  return /^\s*["'`]?https?:/i.test(given)
}

/** An invalid URL may contain a password anywhere. */
function withoutSecrets(text: string): string {
  const shown = shownUrl(text)
  if (shown !== text) return shown
  return text.includes('://') && !text.includes('@') ? text : `${/^[a-z][a-z0-9+-]*/i.exec(text)?.[0] ?? ''}...`
}
