/** Cosine on the common scale: opposite 0, unrelated 0.5, identical 1. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, (1 + cosine) / 2))
}

/** The score of words: see `KeywordScorer.worth`. */
export interface Words {
  part: number
  whole: number
}

/** The threshold between answers and noise, the same in every mode. */
const ANSWER = 0.7
/** The maximum for partial word matches: stays below the threshold when rounded. */
const BELOW = ANSWER - 0.001

/**
 * Adds word evidence to meaning: never below the semantic score, and absolute, not relative to a result set. Words that
 * answer part of the question affect the order, but cannot lift a result over the threshold; words that answer all of
 * it can (noisy-or). Both values describe the same words, so the larger one counts, never both.
 */
export function fuse(semantic: number, { part, whole }: Words): number {
  const lift = (1 - semantic) * part
  const room = BELOW - semantic
  let lifted = semantic
  if (semantic >= ANSWER) lifted += lift
  else if (room > 0) lifted += room * (1 - Math.exp(-lift / room))
  return Math.max(lifted, 1 - (1 - semantic) * (1 - whole))
}

/** The similarity that any line of a thread gets from its neighbours. */
const AROUND = 0.25

/** For a line of a thread, adds up all evidence; above the threshold, each further piece counts less. */
export function addUp(cosine: number, words: number): number {
  const sum = (1 + cosine) / 2 + words - AROUND
  if (sum <= ANSWER) return Math.max(0, sum)
  return ANSWER + (1 - ANSWER) * (1 - Math.exp(-(sum - ANSWER) / (1 - ANSWER)))
}

/** The same without vectors: seven tenths of a question are an answer. */
export function wordsAlone({ part, whole }: Words): number {
  return 1 - (1 - WORDS_ALONE * part) * (1 - whole)
}

const WORDS_ALONE = 2
