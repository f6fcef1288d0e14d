import type { Found } from '../storage/search-query.ts'
import { memoryTokens } from '../text/tokens.ts'

/**
 * Token frequencies that count each text once. Otherwise copies would make their words look common and rank them lower.
 * The copies of every result are candidates too, because they contain the same words.
 */
export function withoutCopies(
  { candidates, documents }: Found,
  frequencyOf: ReadonlyMap<string, number>,
): { documents: number; frequencies: ReadonlyMap<string, number> } {
  const seen = new Set<string>()
  const copies = candidates.filter(({ memory }) => seen.size === seen.add(memory.content).size)
  if (copies.length === 0) return { documents, frequencies: frequencyOf }
  const frequencies = new Map(frequencyOf)
  for (const { memory } of copies) {
    for (const token of memoryTokens(memory)) {
      const frequency = frequencies.get(token)
      if (frequency !== undefined) frequencies.set(token, Math.max(1, frequency - 1))
    }
  }
  return { documents: documents - copies.length, frequencies }
}
