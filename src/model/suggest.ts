/** The choice closest to a mistyped word; null if none is close. */
export function nearest(word: string, choices: Iterable<string>): string | null {
  const typed = word.toLowerCase()
  let best: { choice: string; distance: number } | null = null
  for (const choice of choices) {
    const distance =
      typed.length >= 3 && choice.toLowerCase().startsWith(typed) ? 1 : between(typed, choice.toLowerCase())
    if (distance <= tolerance(typed) && (best === null || distance < best.distance)) best = { choice, distance }
  }
  return best?.choice ?? null
}

/** `Did you mean timing?`, or nothing. */
export function didYouMean(word: string, choices: Iterable<string>): string | null {
  const choice = nearest(word, choices)
  return choice === null ? null : `Did you mean ${choice}?`
}

/** Up to a third of the letters may differ. */
function tolerance(word: string): number {
  return Math.max(1, Math.min(3, Math.floor(word.length / 3)))
}

/** Edit distance: insertions, deletions, substitutions and swaps of neighbours. */
function between(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = last
    last = row
  }
  return last[other.length]!
}
