import type { Memory } from '../model/memory.ts'
import { informationOf } from './score.ts'
import { isCode, type Term } from './terms.ts'
import { writerOf } from './writer.ts'

/** A letter, or a number of two digits. In scripts whose signs are words or syllables, one of them may be a word. */
const MARK = /^(?:\p{L}|\p{N}{1,2})\p{M}*$/u
const WORDY = /\p{Ideographic}|\p{Script=Hangul}/u
/** Words that only join others are short, in every language. */
const SHORT = 3
/** A word of less than one bit is in every second memory. */
const ONE_BIT = Math.LN2

/** A mark that so many memories hold at most, or this share of them, is a name for something. */
const FEW = 3
const RARE_MARK = 0.05
/** A common word is one only where hardly anybody uses it as a word. */
const RARE_WORD = 0.02

/** Whether a query has nothing but common words, single letters, short words and signs: what it means, its words alone do not say. */
export function isVague(terms: readonly Term[]): boolean {
  return terms.every((term) => term.common || (!isCode(term.text) && isShort(term)))
}

/** As it is written: a stem may be shorter than its word. */
function isShort({ text }: Term): boolean {
  return (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).every((word) => [...word].length <= SHORT)
}

/**
 * What a faint query can be answered with, a bit for each term: memories that hold one of these. Null when one of its words carries
 * a meaning after all, as far as the frequencies in the scopes tell; 0 when it says nothing.
 */
export function namedBy(
  terms: readonly Term[],
  frequencies: readonly number[],
  { documents, memories }: { documents: number; memories: readonly Memory[] },
): number | null {
  const writers = new Set(memories.map((memory) => writerOf(memory).join(' ')))
  let names = 0
  for (const [i, term] of terms.entries()) {
    const frequency = frequencies[i] ?? 0
    const isName = writers.has(term.tokens.join(' '))
    if (isWord(term) && (isName || informationOf(frequency, documents) >= ONE_BIT)) return null
    const most = term.common ? RARE_WORD * documents : Math.max(FEW, RARE_MARK * documents)
    if (isName || (frequency > 0 && frequency <= most)) names |= 1 << i
  }
  return names
}

function isWord({ common, tokens }: Term): boolean {
  return !common && tokens.some((token) => WORDY.test(token) || !MARK.test(token))
}
