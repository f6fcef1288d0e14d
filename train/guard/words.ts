/**
 * The words that notes about work are made of, for `models/guard/words.txt`: those of at least eight texts among the rows, without the most
 * common English ones (the vocabulary of the tokenizer is sorted by frequency). Run it again when rows are added:
 *
 *   node train/guard/words.ts
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const LEAST_TEXTS = 8
const MOST_COMMON = 3000

const folder = new URL('rows/', import.meta.url)
const vocabulary: Record<string, number> = JSON.parse(
  readFileSync(new URL('../../models/shared/tokenizer.json', import.meta.url), 'utf8'),
).model.vocab
const counts = new Map<string, number>()
for (const file of readdirSync(folder).sort()) {
  for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n').filter(Boolean)) {
    const { poison, honest } = JSON.parse(line) as { poison: string; honest: string[] }
    for (const text of [poison, ...honest]) {
      for (const word of new Set(text.toLowerCase().match(/[a-z][a-z0-9]{2,}/g))) {
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
  }
}
const words = [...counts]
  .filter(([word, count]) => count >= LEAST_TEXTS && (vocabulary[word] ?? Number.POSITIVE_INFINITY) > MOST_COMMON)
  .map(([word]) => word)
  .sort()
const lines: string[] = []
for (const word of words) {
  const last = lines.at(-1)
  if (last === undefined || last.length + word.length > 115) lines.push(word)
  else lines[lines.length - 1] = `${last} ${word}`
}
writeFileSync(new URL('../../models/guard/words.txt', import.meta.url), `${lines.join('\n')}\n`)
