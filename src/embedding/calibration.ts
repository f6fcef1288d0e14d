/** The calibrated cosine that makes a score of 0.7: the default threshold. */
const LINE = 0.4
/** How steeply the scale falls below the line: unrelated texts come out near 0. */
const FALL = 1.2

/** So many memories have the line where it was measured; for each time that there are ten times as many, it rises by this. */
const FEW_MEMORIES = 400
const GROWTH = 0.06
/** The line stays away from the same text, however many there are. */
const HIGHEST = 0.6

/**
 * A scale on which the cosine from which queries and memories belong together comes to the default threshold: one for whole sentences, another
 * for terse queries, and between them for what is between. The more memories are searched, the more of them lie near to any
 * question by chance, and the higher the line. The same text stays 1; the order of cosines stays as it is.
 */
export function answersFrom({ sentence, terse }: { sentence: number; terse: number }) {
  return (given: number, terseness = 0, documents = 0): number => {
    const growth = GROWTH * Math.log10(Math.max(1, documents / FEW_MEMORIES))
    const line = Math.min(HIGHEST, sentence + terseness * (terse - sentence) + growth)
    return LINE + (given - line) * (given > line ? (1 - LINE) / (1 - line) : FALL)
  }
}
