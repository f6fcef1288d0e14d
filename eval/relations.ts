/**
 * Measures how statements are related, on labelled pairs:
 *
 *   nokosu eval relations [--data FILE_OR_FOLDER ...] [--json] [--runtime onnxruntime-web] [--worst 10] [--alone]
 *
 * Rows are JSON lines `{a, b, label}` with the labels same, contradiction and neutral. Default: the pairs that
 * nothing was trained or chosen on.
 * Also reports the bare model and the cosine alone. A file whose rows are `{kind: 'known' | 'new', ...}` is a store: new notes beside a project's memory, as an
 * admission meets them.
 * Pairs and notes that a model was trained on are not counted. Exits 1 when a bar is missed.
 */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { RUNTIMES, type RuntimeName } from '../src/embedding/runtime.ts'
import { COSINE_FLOOR, prepareRelater, type Relation, type StatementPair } from '../src/lifecycle/relate/relate.ts'
import { localRelationModel } from '../src/lifecycle/relate/relation-model.ts'
import { sharpen } from '../src/lifecycle/relate/verdict.ts'
import { type Figure as Interval, share as shareOf } from './interval.ts'
import { overlapFinder } from './overlap/find.ts'
import { trainingTexts } from './overlap/training.ts'
import { type Called, figuresOf, TITLES } from './relations/figures.ts'
import { measureInStore } from './relations/in-a-store.ts'
import { filesIn, isStore, readPairs, readStore } from './relations/read-rows.ts'
import { NEIGHBOURS, nearestStrangers, STRANGERS } from './relations/strangers.ts'
import { type Group, printReport } from './report.ts'
import { FormatError } from './search/read-asked.ts'

const RELATIONS = { same: 'same', contradiction: 'contradicts', neutral: 'other' } as const satisfies Record<
  string,
  Relation
>

/** The minimum share that must be reached, or the maximum allowed. */
const BARS = {
  accuracy: 0.93,
  contradictionPrecision: 0.95,
  contradictionRecall: 0.86,
  samePrecision: 0.95,
  neutralContradicted: 0.02,
  loadMs: 200,
  tenMs: 80,
}
/** The best cosine thresholds on pairs_dev2: same from the first on, contradiction from the second on. */
const COSINE = { same: 0.86, contradicts: 0.62 }
const ROUNDS = 20

interface Case extends StatementPair {
  truth: Relation
  cosine: number
}
const { values } = parseArgs({
  options: {
    runtime: { type: 'string' },
    worst: { type: 'string', default: '10' },
    alone: { type: 'boolean', default: false },
    data: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
})
const runtime = values.runtime as RuntimeName | undefined
if (runtime !== undefined && !RUNTIMES.includes(runtime)) throw new TypeError(`--runtime is one of ${RUNTIMES}`)
const own = join(import.meta.dirname, 'relations')
const reported = readdirSync(own).filter((name) => name.startsWith('report'))
const files = values.data ?? reported.map((name) => join(own, name))
/** The text output; `--json` prints only the report. */
const say = values.json ? console.error : console.log
const groups: Group[] = []
const overlap = overlapFinder(trainingTexts())
const leftOut = { left: 0, all: 0 }

const embedder = localEmbedding()
const newModel = () => localRelationModel(runtime === undefined ? {} : { runtime })
const model = newModel()
const missed: string[] = []

/** Errors in a file need no stack trace. */
function read<T>(path: string, reader: (path: string) => T): T {
  try {
    return reader(path)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

function embedCases(pairs: ReturnType<typeof readPairs>): Promise<Case[]> {
  return Promise.all(
    pairs.map(async ({ a, b, label }) => {
      const [v, w] = await embedder.embed([a, b])
      const cosine = v!.reduce((sum, value, i) => sum + value * w![i]!, 0)
      return { a: { text: a, vector: v! }, b: { text: b, vector: w! }, truth: RELATIONS[label], cosine }
    }),
  )
}

function share<T>(all: readonly T[], test: (each: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(test).length / all.length
}

function table(systems: ReadonlyMap<string, readonly Called[]>): void {
  say(
    `${''.padEnd(22)}${Object.values(TITLES)
      .map((title) => title.padStart(17))
      .join('')}`,
  )
  for (const [name, all] of systems) {
    const cells = Object.values(figuresOf(all)).map(({ value, low, high }) =>
      `${digits(value)} ${digits(low)}-${digits(high)}`.padStart(17),
    )
    say(`${name.padEnd(22)}${cells.join('')}`)
  }
}

function digits(value: number): string {
  return value.toFixed(2).replace(/^0/, '')
}

/** The calibration error: the distance of likelihoods from the shares of right answers. */
function calibration(answers: readonly { score: number; right: boolean }[]): void {
  const bins = [0.34, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01]
  let error = 0
  const lines = bins.slice(1).map((to, i) => {
    const inside = answers.filter(({ score }) => score >= bins[i]! && score < to)
    const [said, was] = [
      inside.reduce((sum, { score }) => sum + score, 0) / Math.max(1, inside.length),
      share(inside, ({ right }) => right),
    ]
    error += (inside.length / answers.length) * Math.abs(said - was)
    return inside.length === 0 ? '' : `  says ${digits(said)}, is right ${digits(was)} (${inside.length})`
  })
  say(`calibration of the likeliest relation: off by ${digits(error)} on average`)
  say(lines.filter((line) => line !== '').join('\n'))
}

async function finish(): Promise<never> {
  await Promise.all([embedder.close?.(), model.close()])
  const scoring =
    'Each pair is judged as an admission judges it; a store’s notes each meet their ten nearest memories. Intervals are over pairs.'
  const of = `Left out, since a model was trained on the same or nearly the same text: ${leftOut.left} of ${leftOut.all} pairs and notes.`
  if (values.json) printReport({ eval: 'relations', scoring, groups, leftOut: of }, true)
  else say(`\n${scoring}\n${of}`)
  process.exit(missed.length > 0 ? 1 : 0)
}

function check(name: string, value: number, passed: boolean, unit = ''): void {
  if (!passed) missed.push(name)
  say(`${passed ? 'ok    ' : 'MISSED'} ${name}: ${unit === '' ? digits(value) : `${value.toFixed(0)} ${unit}`}`)
}

// Checked before measuring, because the last file may be invalid.
const paths = files.flatMap((path) => read(path, filesIn))
const isFresh = (...texts: string[]) => {
  leftOut.all++
  const fresh = texts.every((text) => overlap(text) === null)
  leftOut.left += Number(!fresh)
  return fresh
}
const sets = paths
  .filter((file) => !read(file, isStore))
  .map((file) => ({ file, pairs: read(file, readPairs).filter(({ a, b }) => isFresh(a, b)) }))
const stores = paths
  .filter((file) => read(file, isStore))
  .map((file) => ({ file, rows: read(file, readStore).filter((row) => row.kind === 'known' || isFresh(row.text)) }))

await embedder.warm?.()
const before = performance.now()
await model.warm()
check('loading', performance.now() - before, performance.now() - before <= BARS.loadMs, 'ms')

let last: Case[] = []
const all: Called[] = []
for (const { file, pairs } of sets) {
  const cases = await embedCases(pairs)
  last = cases
  say(`\n== ${basename(file)}, ${cases.length} pairs`)
  const relater = await prepareRelater(cases, { model })
  const fresh = newModel()
  await fresh.warm()
  const loaded = performance.now()
  await fresh.ask(cases.map(({ a, b }) => [a.text, b.text]))
  const each = (performance.now() - loaded) / cases.length
  await fresh.close()

  const verdicts = cases.map((one) => ({ ...one, ...relater.relate(one.a, one.b) }))
  const decided = verdicts.map(({ truth, relation }) => ({ truth, called: relation }))
  const raw = await model.ask(cases.map(({ a, b }) => [a.text, b.text]))
  const likeliest = raw.map((answer) => {
    if (answer === null) return { relation: 'other' as const, score: 1 }
    const likely = Object.entries(sharpen(answer)) as [Relation, number][]
    const [relation, score] = likely.reduce((best, one) => (one[1] > best[1] ? one : best))
    return { relation, score }
  })
  const systems = new Map<string, Called[]>([
    ['decided', decided],
    ['model, likeliest', cases.map(({ truth }, i) => ({ truth, called: likeliest[i]!.relation }))],
  ])
  groups.push({ name: `${basename(file)}, ${cases.length} pairs`, figures: Object.values(figuresOf(decided)) })
  systems.set(
    'cosine',
    cases.map(({ truth, cosine }) => ({
      truth,
      called: cosine >= COSINE.same ? 'same' : cosine >= COSINE.contradicts ? 'contradicts' : 'other',
    })),
  )
  table(systems)
  say()
  calibration(likeliest.map(({ relation, score }, i) => ({ score, right: relation === cases[i]!.truth })))
  say(`${each.toFixed(1)} ms a pair, in batches`)

  const unbounded = await prepareRelater(cases, { model, floor: -1 })
  const lost = cases.filter(({ a, b, cosine }) => cosine < COSINE_FLOOR && unbounded.relate(a, b).relation !== 'other')
  const spared = share(cases, ({ cosine }) => cosine < COSINE_FLOOR)
  const right = lost.filter(({ a, b, truth }) => unbounded.relate(a, b).relation === truth).length
  say(
    `cosine floor ${COSINE_FLOOR}: spares ${(100 * spared).toFixed(0)} % of the pairs, changes ${lost.length} verdicts (${right} of them were right)`,
  )

  const strangers = nearestStrangers(cases)
  for (const floor of [-1, COSINE_FLOOR]) {
    const among = await prepareRelater(strangers, { model, floor })
    const called = strangers.map(({ a, b }) => among.relate(a, b).relation)
    const [contradicted, same] = (['contradicts', 'same'] as const).map((one) => called.filter((x) => x === one).length)
    const when = floor < 0 ? 'without a floor' : `with the floor ${floor}`
    say(
      `${STRANGERS} statements, each with its ${NEIGHBOURS} nearest of other pairs, ${when}: ${contradicted} contradictions, ${same} same`,
    )
  }

  if (values.alone) {
    const single = newModel()
    let changed = 0
    for (const { a, b, relation } of verdicts) {
      const alone = await prepareRelater([{ a, b }], { model: single })
      if (alone.relate(a, b).relation !== relation) changed++
    }
    await single.close()
    say(`asked one by one, ${changed} of ${cases.length} verdicts differ`)
  }

  const wrong = verdicts
    .filter(({ truth, relation }) => truth !== relation)
    // A wrong verdict costs more than a missed one.
    .sort((x, y) => Number(y.relation !== 'other') - Number(x.relation !== 'other') || y.score - x.score)
  say(`\nworst of ${wrong.length} errors`)
  for (const { a, b, truth, relation, score } of wrong.slice(0, Number(values.worst))) {
    say(`  ${truth} called ${relation} (${digits(score)}): ${a.text} | ${b.text}`)
  }
  all.push(...decided)
}
say(`\n== all ${all.length} pairs`)
if (all.length > 0) {
  const whole = figuresOf(all)
  for (const name of ['accuracy', 'contradictionPrecision', 'contradictionRecall', 'samePrecision'] as const)
    check(TITLES[name], whole[name].value, whole[name].value >= BARS[name])
  const crossed = whole.neutralContradicted.value
  check(TITLES.neutralContradicted, crossed, crossed <= BARS.neutralContradicted)
  const figures = Object.entries(whole).map(([name, figure]): Interval => {
    if (name === 'neutralContradicted') return { ...figure, bar: { most: BARS.neutralContradicted } }
    return name in BARS ? { ...figure, bar: { least: BARS[name as keyof typeof BARS] } } : figure
  })
  groups.push({ name: 'all pairs', figures })
}

for (const { file, rows } of stores) {
  const found = await measureInStore(rows, embedder, model)
  const { contradictions, repeats, confused, wronged } = found
  say(`\n== ${basename(file)}, ${found.notes} new notes beside ${found.known} memories`)
  say(
    `contradictions found ${contradictions.found} of ${contradictions.all}, repeats ${repeats.found} of ${repeats.all}`,
  )
  say(`one taken for the other ${confused}, notes that touch a memory they say nothing about ${wronged}`)
  for (const line of found.worst.slice(0, Number(values.worst))) say(`  ${line}`)
  groups.push({
    name: `${basename(file)}, ${found.notes} new notes beside ${found.known} memories`,
    figures: [
      shareOf('contradictions found', contradictions.found, contradictions.all),
      shareOf('repeats found', repeats.found, repeats.all),
      shareOf('one taken for the other', confused, contradictions.all + repeats.all),
      shareOf('notes that touch a memory they say nothing about', wronged, found.notes),
    ],
  })
}

const EXAMPLES: readonly (readonly [string, string, Relation])[] = [
  ['Takes 60s to start after restart', 'Takes about 60 seconds to start after a restart', 'same'],
  ['Must be started after WireGuard', 'Can be started independently of WireGuard', 'contradicts'],
  [
    'Must be started after WireGuard -- fails with no route to host otherwise',
    'Can be started independently of WireGuard',
    'contradicts',
  ],
  ['Returns HTTP 302 redirect when healthy, not 200', 'Returns HTTP 200 when healthy', 'contradicts'],
]
say('\n== the examples of the seeds and of the review')
for (const [a, b, truth] of EXAMPLES) {
  const pair = { a: { text: a, vector: null }, b: { text: b, vector: null } }
  const { relation, reason } = (await prepareRelater([pair], { model })).relate(pair.a, pair.b)
  if (relation !== truth) missed.push(a)
  say(`${relation === truth ? 'ok    ' : 'MISSED'} ${reason}`)
}

// The maximum cost of a candidate: nothing is cached, and every neighbour must be compared.
if (last.length === 0) await finish()
const timed = newModel()
await timed.warm()
const times: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const candidate = last[round % last.length]!.a
  const neighbours = Array.from({ length: NEIGHBOURS }, (_, i) => last[(round * NEIGHBOURS + i) % last.length]!.b)
  const started = performance.now()
  await timed.ask(neighbours.map((b) => [candidate.text, b.text]))
  times.push(performance.now() - started)
}
times.sort((x, y) => x - y)
say()
check(
  `one candidate against ${NEIGHBOURS} neighbours, median`,
  times[ROUNDS >> 1]!,
  times[ROUNDS >> 1]! <= BARS.tenMs,
  'ms',
)
say(`       slowest of ${ROUNDS}: ${times.at(-1)!.toFixed(0)} ms`)

await timed.close()
await finish()
