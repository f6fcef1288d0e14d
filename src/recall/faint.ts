import type { Memory } from '../model/memory.ts'
import { informationOf } from './score.ts'
import { isCode, type Term } from './terms.ts'
import { writerOf } from './writer.ts'

/** A letter, or a number of up to two digits. In scripts whose characters are words or syllables, one may be a word. */
const MARK = /^(?:\p{L}|\p{N}{1,2})\p{M}*$/u
const WORDY = /\p{Ideographic}|\p{Script=Hangul}/u
/** Joining words are this short in every language. */
const SHORT = 3
/** A word with less than one bit of information is in every second memory. */
const ONE_BIT = Math.LN2

/** A mark in at most this many memories, or this share of them, is a name. */
const FEW = 3
const RARE_MARK = 0.05
/** A common word only counts as a name if it is this rare. */
const RARE_WORD = 0.02

/**
 * Whether a query has only common words, single letters, short words and signs, so that its words alone do not say what
 * it means.
 */
export function isVague(terms: readonly Term[]): boolean {
  return terms.every((term) => term.common || (!isCode(term.text) && isShort(term)))
}

/** Checks the word as written: a stem may be shorter. */
function isShort({ text }: Term): boolean {
  return (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).every((word) => [...word].length <= SHORT)
}

/**
 * The terms that can answer a vague query, as a bit mask: memories with one of these match. Null if one of its words is
 * meaningful after all, judging by the frequencies in the scopes; 0 if none is.
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
