import { tokenize } from '../../text/tokens.ts'
import type { Scene } from './scene.ts'
import type { TokenWeight } from './terms.ts'

/** Each part costs an embedding. */
const MOST_PARTS = 3

/** The most informative parts of a moment, by their words. Empty if it has only one part. */
export function chooseParts({ segments, text }: Scene, weights: ReadonlyMap<string, TokenWeight>): string[] {
  const parts = segments.filter((segment) => segment !== text)
  if (parts.length <= MOST_PARTS) return parts
  const worth = new Map(parts.map((part) => [part, informationIn(part, weights)]))
  const best = parts.toSorted((a, b) => worth.get(b)! - worth.get(a)!).slice(0, MOST_PARTS)
  return parts.filter((part) => best.includes(part))
}

function informationIn(part: string, weights: ReadonlyMap<string, TokenWeight>): number {
  let sum = 0
  for (const token of new Set(tokenize(part))) {
    const known = weights.get(token)
    if (known?.held) sum += known.weight
  }
  return sum
}
