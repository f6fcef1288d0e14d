/** The calibrated cosine that makes a score of 0.7: the default threshold. */
const LINE = 0.4
/** How steeply the scale falls below the line: unrelated texts come out near 0. */
const FALL = 1.2

/**
 * A scale on which the cosine from which queries and memories belong together comes to the default threshold: one for whole sentences, another
 * for terse queries, and between them for what is between. The same text stays 1; the order of cosines stays as it is.
 */
export function answersFrom({ sentence, terse }: { sentence: number; terse: number }) {
  return (given: number, terseness = 0): number => {
    const line = sentence + terseness * (terse - sentence)
    return LINE + (given - line) * (given > line ? (1 - LINE) / (1 - line) : FALL)
  }
}
