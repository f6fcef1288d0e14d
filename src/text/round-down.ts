/** A score as it is shown: rounded down, so that none seems to reach a threshold that it misses. */
export function roundDown(score: number, digits = 2): string {
  const scale = 10 ** digits
  return (Math.floor(score * scale + TINY) / scale).toFixed(digits)
}

/** What binary fractions lack of a decimal one: 0.57 times 100 is less than 57. */
const TINY = 1e-9
