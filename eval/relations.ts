/**
 * Measures relate() on labelled pairs: `node eval/relations.ts [--words-only] FILE.jsonl`. Rows are JSON lines
 * `{a, b, label}` with the labels same, contradiction and neutral. Exits 1 when a bar is missed.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { type Relation, ruleRelater, type Statement } from '../src/lifecycle/relate/relate.ts'

const RELATIONS = { same: 'same', contradiction: 'contradicts', neutral: 'other' } as const satisfies Record<
  string,
  Relation
>
type Label = keyof typeof RELATIONS
const LABELS = Object.keys(RELATIONS) as Label[]

interface Row {
  a: string
  b: string
  label: Label
}

/** The least share that must be reached, or the most that is allowed. */
const BARS = {
  accuracy: 0.7,
  contradictionPrecision: 0.85,
  samePrecision: 0.9,
  neutralContradicted: 0.05,
  milliseconds: 20,
}

const EXAMPLES: readonly Row[] = [
  { a: 'Takes 60s to start after restart', b: 'Takes about 60 seconds to start after a restart', label: 'same' },
  { a: 'Must be started after WireGuard', b: 'Can be started independently of WireGuard', label: 'contradiction' },
]

const NEIGHBOURS = 10
const ROUNDS = 20

function parseRow(line: string, at: number): Row {
  const row: unknown = JSON.parse(line)
  if (typeof row === 'object' && row !== null && 'a' in row && 'b' in row && 'label' in row) {
    const { a, b, label } = row
    if (typeof a === 'string' && typeof b === 'string' && LABELS.includes(label as Label))
      return { a, b, label: label as Label }
  }
  throw new TypeError(`line ${at + 1}: needs a, b, and a label of ${LABELS.join(', ')}`)
}

const { values, positionals } = parseArgs({ options: { 'words-only': { type: 'boolean' } }, allowPositionals: true })
const [file] = positionals
if (file === undefined) throw new TypeError('usage: node eval/relations.ts [--words-only] FILE.jsonl')
const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
const rows = lines.map(parseRow)
const embedder = localEmbedding()
const relater = ruleRelater()
const missed: string[] = []

async function embed(text: string): Promise<Statement> {
  const vector = values['words-only'] ? null : ((await embedder.embed([text]))[0] ?? null)
  return { text, vector }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} % (${part} of ${whole})`
}

function report(name: string, figure: string, passed: boolean): void {
  if (!passed) missed.push(name)
  console.log(`${passed ? 'ok    ' : 'MISSED'} ${name}: ${figure}`)
}

const matrix = new Map(
  LABELS.map((label) => [label, new Map(Object.values(RELATIONS).map((relation) => [relation, 0]))]),
)
const count = (label: Label, relation: Relation) => matrix.get(label)?.get(relation) ?? 0
for (const row of rows) {
  const verdict = relater.relate(await embed(row.a), await embed(row.b))
  matrix.get(row.label)?.set(verdict.relation, count(row.label, verdict.relation) + 1)
  if (verdict.relation === RELATIONS[row.label]) continue
  console.log(
    `wrong: ${row.label} called ${verdict.relation} (${verdict.score}, ${verdict.reason})\n  ${row.a}\n  ${row.b}`,
  )
}

console.log(
  `\n${'label'.padEnd(15)}${Object.values(RELATIONS)
    .map((relation) => relation.padStart(12))
    .join('')}`,
)
for (const label of LABELS) {
  const cells = Object.values(RELATIONS).map((relation) => String(count(label, relation)).padStart(12))
  console.log(`${label.padEnd(15)}${cells.join('')}`)
}
console.log()

const called = (relation: Relation) => LABELS.reduce((sum, label) => sum + count(label, relation), 0)
const right = LABELS.reduce((sum, label) => sum + count(label, RELATIONS[label]), 0)
const neutral = rows.filter((row) => row.label === 'neutral').length
const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
const [contradicted, same] = [called('contradicts'), called('same')]
report('accuracy', percent(right, rows.length), share(right, rows.length) >= BARS.accuracy)
report(
  'right of what is called a contradiction',
  percent(count('contradiction', 'contradicts'), contradicted),
  share(count('contradiction', 'contradicts'), contradicted) >= BARS.contradictionPrecision,
)
report(
  'right of what is called same',
  percent(count('same', 'same'), same),
  share(count('same', 'same'), same) >= BARS.samePrecision,
)
report(
  'neutral called a contradiction',
  percent(count('neutral', 'contradicts'), neutral),
  share(count('neutral', 'contradicts'), neutral) <= BARS.neutralContradicted,
)

for (const { a, b, label } of EXAMPLES) {
  const { relation, reason } = relater.relate(await embed(a), await embed(b))
  report(`"${a}" and "${b}"`, `${relation} (${reason})`, relation === RELATIONS[label])
}

// As a capture pays it: the new statement is embedded, the neighbours have their vectors.
const neighbours = await Promise.all(rows.slice(0, NEIGHBOURS).map((row) => embed(row.b)))
const times: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const started = performance.now()
  const candidate = await embed(`${rows[round % rows.length]?.a}`)
  for (const neighbour of neighbours) relater.relate(candidate, neighbour)
  times.push(performance.now() - started)
}
times.sort((x, y) => x - y)
const [median = 0, worst = 0] = [times[ROUNDS >> 1], times.at(-1)]
const figure = `median ${median.toFixed(1)} ms, slowest ${worst.toFixed(1)} ms`
report(`one candidate against ${neighbours.length} neighbours`, figure, median < BARS.milliseconds)

await embedder.close?.()
if (missed.length > 0) process.exitCode = 1
