import { isIP } from 'node:net'
import { isLoopback, namesLoopback } from './loopback.ts'

/** Sent with every answer. Pages load scripts and styles only from the server itself, and none may be inline. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: then a browser would not say where a form of ours comes from either.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/**
 * Whether a request may use this host name. A foreign page can point its own name at this machine (DNS rebinding)
 * and so read the server through the browser; but the browser then sends that name. An address cannot be pointed elsewhere.
 */
export function hostCheck(host: string, names: readonly string[]): (header: string | undefined) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const onlyLoopback = isLoopback(host)
  return (header) => {
    if (namesLoopback(header)) return true
    if (header === undefined || !URL.canParse(`http://${header}`)) return false
    const name = new URL(`http://${header}`).hostname.replace(/^\[(.*)\]$/, '$1')
    return known.has(name) || (!onlyLoopback && (name === host.toLowerCase() || isIP(name) !== 0))
  }
}

/** Whether a browser sent this from one of our pages; `null` if it was not a browser. */
export function isOwnPage(header: (name: string) => string | undefined): boolean | null {
  const origin = header('origin')
  const site = header('sec-fetch-site')
  if (origin === undefined && site === undefined) return null
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (origin === undefined) return true
  return URL.canParse(origin) && new URL(origin).host === header('host')
}
