/** The calibrated cosine that makes a score of 0.7: the default threshold. */
const LINE = 0.4
/** How steeply the scale falls below the line: unrelated texts come out near 0. */
const FALL = 1.2

/**
 * A scale on which the cosine from which queries and memories belong together comes to the default threshold. The same text stays 1;
 * the order of cosines stays as it is.
 */
export function answersFrom(cosine: number): (cosine: number) => number {
  const rise = (1 - LINE) / (1 - cosine)
  return (given) => LINE + (given - cosine) * (given > cosine ? rise : FALL)
}
