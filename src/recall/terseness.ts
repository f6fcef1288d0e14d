import { countWords } from '../text/tokens.ts'
import type { Term } from './terms.ts'

/** A query of up to this many words is terse; with more than that many it is a sentence. */
const TERSE = 4
const SENTENCE = 6

/**
 * How terse a query is, 0 (a sentence) to 1: few words, and known ones. A terse query is similar to everything on its
 * topic, so its answers must be more similar. Unknown words are typos or the reader's own, and their answers are less
 * similar.
 */
export function terseness(query: string, terms: readonly Term[], frequencies: ReadonlyMap<string, number>): number {
  const words = terms.filter(({ tokens }) => tokens.length === 1)
  const unseen = words.filter(({ tokens }) => (frequencies.get(tokens[0]!) ?? 0) === 0).length
  const brief = Math.min(1, Math.max(0, (SENTENCE - countWords(query)) / (SENTENCE - TERSE)))
  return brief * Math.max(0, 1 - (2 * unseen) / Math.max(1, words.length))
}
