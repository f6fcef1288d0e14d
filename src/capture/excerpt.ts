import { redactSecrets } from '../guard/redact-secrets.ts'
import { sanitizeText } from '../guard/sanitize.ts'
import type { Refusal } from '../model/candidate.ts'

const MAX_EXCERPT = 120
const MAX_REASON = 400
/** Characters that are looked at: more than is shown, so that a secret is seen whole before the text is cut. */
const WINDOW = 1_024

/** A short, printable piece of a text: no secrets, no control, bidirectional, invisible or broken characters. */
export function excerptOf(text: string, max = MAX_EXCERPT): string {
  // What the window cuts through could be a secret that nothing recognises any more.
  const seen = text.length > WINDOW ? text.slice(0, WINDOW).replace(/[\w+/=.~%-]+$/, '') : text
  const printable = redactSecrets(sanitizeText(seen))
    .text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  return detach(printable.length > max ? `${printable.slice(0, max - 1)}…` : printable)
}

/** Reasons may repeat a word of the input, such as a key or a category, so they are bounded and cleaned as well. */
export function refuse(reason: string, text: string, line?: number): Refusal {
  return { reason: excerptOf(reason, MAX_REASON), excerpt: excerptOf(text), ...(line === undefined ? {} : { line }) }
}

/**
 * A copy that does not keep its parent alive: V8 makes slices of long strings by reference, so that a small candidate
 * would otherwise hold on to the whole message. Broken surrogates become U+FFFD.
 */
export function detach(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** False for text that shows nothing to a reader: empty, white space, zero-width and control characters only. */
export function isVisibleText(text: string): boolean {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)
}
