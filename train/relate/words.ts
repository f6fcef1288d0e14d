/**
 * The words of English notes, for `src/text/english-words.ts`: those in at least five training groups.
 *
 *   node train/relate/words.ts > src/text/english-words.ts
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainWords } from '../../src/text/plain-words.ts'

const FEWEST_GROUPS = 5
const WIDTH = 150

const groups = join(import.meta.dirname, 'groups')
const counts = new Map<string, number>()
for (const file of readdirSync(groups)) {
  for (const line of readFileSync(join(groups, file), 'utf8').trim().split('\n')) {
    const { a, same, contra, neutral } = JSON.parse(line)
    for (const word of new Set([a, ...same, ...contra, ...neutral].flatMap(plainWords))) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
}

const lines = ['']
for (const word of [...counts.keys()].filter((one) => counts.get(one)! >= FEWEST_GROUPS).sort()) {
  if (lines.at(-1)!.length + word.length >= WIDTH) lines.push('')
  lines[lines.length - 1] += `${word} `
}
console.log(`/** The words of English notes. Made by train/relate/words.ts. */
export const ENGLISH_WORDS: ReadonlySet<string> = new Set(
  \`
${lines.map((line) => line.trim()).join('\n')}
\`
    .trim()
    .split(/\\s+/),
)`)
