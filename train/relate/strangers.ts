/**
 * Statements of different groups that lie near each other, as an admission meets them: `node train/relate/strangers.ts > strangers.jsonl`.
 * The groups have hard neutrals about the same thing and random ones about another, and nothing between: of its ten nearest
 * strangers the first model called half a statement a contradiction.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { localEmbedding } from '../../src/embedding/local.ts'

/** Nearer ones may truly be related; farther ones are never asked about. */
const [LEAST, MOST] = [0.25, 0.6]
const EACH = 3

const lines = globSync(join(import.meta.dirname, 'groups', '*.jsonl'))
  .sort()
  .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  .filter((line) => line.trim() !== '')
const groups: { a: string; same: string[]; contra: string[]; neutral: string[] }[] = lines.map((line) =>
  JSON.parse(line),
)
// One statement per group, alternating kinds, because new text is a paraphrase or correction as often as an anchor.
const texts = groups.map(({ a, same, contra }, i) => [a, same[0], contra[0]][i % 3] ?? a)
const embedder = localEmbedding()
const vectors = await embedder.embed(texts)
await embedder.close?.()

for (const [i, a] of texts.entries()) {
  const near: { b: string; cosine: number }[] = []
  for (const [j, b] of texts.entries()) {
    if (i === j) continue
    let cosine = 0
    for (let k = 0; k < vectors[i]!.length; k++) cosine += vectors[i]![k]! * vectors[j]![k]!
    if (cosine >= LEAST && cosine < MOST) near.push({ b, cosine })
  }
  near.sort((x, y) => y.cosine - x.cosine)
  for (const { b } of near.slice(0, EACH)) console.log(JSON.stringify({ a, b }))
}
