/** The calibrated cosine that corresponds to a score of 0.7, the default threshold. */
const LINE = 0.4
/** How steeply the scale falls below the threshold: unrelated texts end up near 0. */
const FALL = 1.2

/** For this many memories the threshold is as measured; it rises by RISE for each factor of ten. */
const FEW_MEMORIES = 400
const GROWTH = 0.06
/** The threshold stays below that of identical text, however many memories there are. */
const HIGHEST = 0.6

/**
 * A scale that maps the cosine from which queries and memories belong together to the default threshold: one for whole sentences, one
 * for terse queries, and a mix between them. The more memories are searched, the more are close to any
 * query by chance, so the threshold rises. Identical text stays at 1, and the order of cosines is kept.
 */
export function answersFrom({ sentence, terse }: { sentence: number; terse: number }) {
  return (given: number, terseness = 0, documents = 0): number => {
    const growth = GROWTH * Math.log10(Math.max(1, documents / FEW_MEMORIES))
    const line = Math.min(HIGHEST, sentence + terseness * (terse - sentence) + growth)
    return LINE + (given - line) * (given > line ? (1 - LINE) / (1 - line) : FALL)
  }
}
