/** Refused text with the reason. Both may repeat what the agent wrote, secrets included. */
export interface RawRefusal {
  reason: string
  /** The beginning of the refused text, at most 1,024 characters. */
  text: string
  /** The line of the input, counted from 1, if known. */
  line?: number
}

/** Characters of a refused text that are passed on. More than is shown, so that the guard sees whole secrets before it cuts. */
const WINDOW = 1_024

/** Refuses a text. It is as the agent wrote it: clean it with the guard's `cleanRefusal` before showing it. */
export function refuse(reason: string, text: string, line?: number): RawRefusal {
  return { reason: windowOf(reason), text: windowOf(text), ...(line === undefined ? {} : { line }) }
}

/** The beginning of a text, without a word that the cut splits: rules do not recognize half a secret. */
function windowOf(text: string): string {
  return detach(text.length > WINDOW ? text.slice(0, WINDOW).replace(/[\w+/=.~%-]+$/, '') : text)
}

/**
 * A copy that does not keep its parent alive. V8 slices long strings by reference, so a small candidate would otherwise keep
 * the whole message in memory. Broken surrogates become U+FFFD.
 */
export function detach(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** False for text without a visible character: empty, or only white space, zero-width and control characters. */
export function isVisibleText(text: string): boolean {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)
}
