/** Cosine on the shared scale: opposite 0, unrelated 0.5, the same 1. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, (1 + cosine) / 2))
}

/** What words are worth: see `KeywordScorer.worth`. */
export interface Words {
  part: number
  whole: number
}

/** Where answers part from noise, on the scale of every mode. */
const ANSWER = 0.7
/** As far as words that answer a part may lift: what is rounded stays below the line. */
const BELOW = ANSWER - 0.001

/**
 * Adds words to meaning: never below the semantic score, and absolute, not relative to a result set. Words that answer a part of
 * the question order what is found, but lift nothing over the line that its meaning does not reach; words that answer all of it
 * convince by themselves (noisy-or). They are the same words: what tells more counts, never both.
 */
export function fuse(semantic: number, { part, whole }: Words): number {
  const lift = (1 - semantic) * part
  const room = BELOW - semantic
  let lifted = semantic
  if (semantic >= ANSWER) lifted += lift
  else if (room > 0) lifted += room * (1 - Math.exp(-lift / room))
  return Math.max(lifted, 1 - (1 - semantic) * (1 - whole))
}

/** What a line of a thread has from those around it, whatever is asked. */
const AROUND = 0.25

/** Of a line of a thread all that speaks for it is added up; past the line each further piece tells less. */
export function addUp(cosine: number, words: number): number {
  const sum = (1 + cosine) / 2 + words - AROUND
  if (sum <= ANSWER) return Math.max(0, sum)
  return ANSWER + (1 - ANSWER) * (1 - Math.exp(-(sum - ANSWER) / (1 - ANSWER)))
}

/** The same where there is no meaning to compare: two thirds of a question are an answer. */
export function wordsAlone({ part, whole }: Words): number {
  return 1 - (1 - WORDS_ALONE * part) * (1 - whole)
}

const WORDS_ALONE = 1.8
