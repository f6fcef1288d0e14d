import { countWords } from '../text/tokens.ts'
import type { Term } from './terms.ts'

/** A query of so many words is terse, and one of more than so many is a sentence. */
const TERSE = 4
const SENTENCE = 6

/**
 * How far a query is from a sentence, 0 to 1: a few words, and words that memories hold. It lies near to everything about its topic, so what
 * it looks for must be nearer. Words that no memory holds are mistyped or the reader's own: what they look for lies farther away.
 */
export function terseness(query: string, terms: readonly Term[], frequencies: ReadonlyMap<string, number>): number {
  const words = terms.filter(({ tokens }) => tokens.length === 1)
  const unseen = words.filter(({ tokens }) => (frequencies.get(tokens[0]!) ?? 0) === 0).length
  const brief = Math.min(1, Math.max(0, (SENTENCE - countWords(query)) / (SENTENCE - TERSE)))
  return brief * Math.max(0, 1 - (2 * unseen) / Math.max(1, words.length))
}
