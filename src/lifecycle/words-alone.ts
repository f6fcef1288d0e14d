/** The relater's reason for a pair it could not compare. */
const NOT_COMPARED = /not compared by meaning(?: \((.*)\))?$/s
const WORDS_ALONE = 'compared by words alone'
/** The same if something needs fixing, at the end of an admission's reason. */
const TO_MEND = new RegExp(`; ${WORDS_ALONE} \\((.*)\\)$`, 's')

/** Why a pair was compared only by its words; null if its meaning was compared. */
export function wordsAlone(verdict: string): string | null {
  const found = NOT_COMPARED.exec(verdict)
  if (found === null) return null
  return found[1] === undefined ? WORDS_ALONE : `${WORDS_ALONE} (${found[1]})`
}

/** A warning for people if a model could not compare meanings; null if nothing needs fixing. */
export function warnOfWordsAlone(reasons: readonly string[]): string | null {
  const why = reasons.map((reason) => TO_MEND.exec(reason)?.[1]).find((each) => each !== undefined)
  return why === undefined ? null : `Compared by words alone, so paraphrases are stored as separate memories: ${why}`
}
