import { tokenize } from '../../src/text/tokens.ts'
import type { Trained } from './training.ts'

/** Texts with at least this share of common words are nearly the same. */
const NEAR = 0.8
/** Shorter texts are alike by chance: they must have the same words in the same order, and texts of two words or fewer never count. */
const [LONG, SHORTEST] = [5, 3]

export interface Overlap extends Trained {
  /** The share of words in common; 1 for the same words in the same order. */
  alike: number
}

/** Whether a text, or nearly the same one, was in the training data. */
export function overlapFinder(trained: readonly Trained[]): (text: string) => Overlap | null {
  const exact = new Map<string, Trained>()
  /** Distinct words of each long text, and an index by word. */
  const words: ReadonlySet<string>[] = []
  const places = new Map<string, number[]>()
  const kept: Trained[] = []
  for (const each of trained) {
    const tokens = tokenize(each.text)
    const key = tokens.join(' ')
    if (tokens.length < SHORTEST || exact.has(key)) continue
    exact.set(key, each)
    const own = new Set(tokens)
    if (own.size < LONG) continue
    for (const word of own) pushTo(places, word, kept.length)
    words.push(own)
    kept.push(each)
  }
  return (text) => {
    const tokens = tokenize(text)
    const same = tokens.length < SHORTEST ? undefined : exact.get(tokens.join(' '))
    if (same !== undefined) return { ...same, alike: 1 }
    const own = [...new Set(tokens)]
    if (own.length < LONG) return null
    // Texts with so many common words share at least one of their rarest words.
    const rare = own.toSorted((a, b) => (places.get(a)?.length ?? 0) - (places.get(b)?.length ?? 0))
    const needed = rare.slice(0, own.length - Math.ceil(NEAR * own.length) + 1)
    const candidates = new Set(needed.flatMap((word) => places.get(word) ?? []))
    let best: Overlap | null = null
    for (const at of candidates) {
      const other = words[at]!
      const common = own.filter((word) => other.has(word)).length
      const alike = common / (own.length + other.size - common)
      if (alike >= NEAR && alike > (best?.alike ?? 0)) best = { ...kept[at]!, alike }
    }
    return best
  }
}

function pushTo(places: Map<string, number[]>, word: string, at: number): void {
  const known = places.get(word)
  if (known === undefined) places.set(word, [at])
  else known.push(at)
}
