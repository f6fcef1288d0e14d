import type { RawRefusal } from '../capture/excerpt.ts'
import type { Refusal } from '../model/outcome.ts'
import { cleanText } from './clean-text.ts'

const MAX_EXCERPT = 120
const MAX_REASON = 400

/** A refusal that is safe to show, log and store. Reasons may repeat a word of the input, so they are cleaned as well. */
export function cleanRefusal({ reason, text, line }: RawRefusal): Refusal {
  const shown = { reason: cleanExcerpt(reason, MAX_REASON), excerpt: cleanExcerpt(text, MAX_EXCERPT) }
  return line === undefined ? shown : { ...shown, line }
}

/** One short line: no secrets, no control, bidirectional, invisible or broken characters. */
function cleanExcerpt(text: string, max = MAX_REASON): string {
  const printable = cleanText(text)
    .text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  return printable.length > max ? `${printable.slice(0, max - 1)}…`.toWellFormed() : printable
}
