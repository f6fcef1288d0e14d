/** Rounds a score down for display, so that none appears to reach a threshold that it misses. */
export function roundDown(score: number, digits = 2): string {
  const scale = 10 ** digits
  return (Math.floor(score * scale + TINY) / scale).toFixed(digits)
}

/** Binary fractions can be slightly low: 0.57 times 100 is less than 57. */
const TINY = 1e-9
