/** What the relater says of a pair that it could not compare, with why. */
const NOT_COMPARED = /not compared by meaning(?: \((.*)\))?$/s
const WORDS_ALONE = 'compared by words alone'
/** The same where something is to be mended, at the end of an admission's reason. */
const TO_MEND = new RegExp(`; ${WORDS_ALONE} \\((.*)\\)$`, 's')

/** That a pair was compared by its words alone, and why; null when its meaning was compared. */
export function wordsAlone(verdict: string): string | null {
  const found = NOT_COMPARED.exec(verdict)
  if (found === null) return null
  return found[1] === undefined ? WORDS_ALONE : `${WORDS_ALONE} (${found[1]})`
}

/** What a person is told, once, where a model could not compare meanings; null where nothing is to be mended. */
export function warnOfWordsAlone(reasons: readonly string[]): string | null {
  const why = reasons.map((reason) => TO_MEND.exec(reason)?.[1]).find((each) => each !== undefined)
  return why === undefined
    ? null
    : `Compared by words alone; what is said in other words is kept beside what it repeats or corrects: ${why}`
}
