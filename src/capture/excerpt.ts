import type { RawRefusal } from './captured.ts'

/** Characters of a refused text that are handed on: more than is shown, so that the guard sees a secret whole before it cuts. */
const WINDOW = 1_024

/** What capture would not take. The text is the agent's own: `cleanRefusal` of the guard makes it fit to be shown. */
export function refuse(reason: string, text: string, line?: number): RawRefusal {
  return { reason: windowOf(reason), text: windowOf(text), ...(line === undefined ? {} : { line }) }
}

/** The beginning of a text, without a last word that the window cuts through: nothing would recognise half a secret. */
function windowOf(text: string): string {
  return detach(text.length > WINDOW ? text.slice(0, WINDOW).replace(/[\w+/=.~%-]+$/, '') : text)
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
