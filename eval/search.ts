/**
 * Measures search on questions with known answers, as a program uses it: memories go through guard and admission, questions through the
 * engine with ten results:
 *
 *   nokosu eval own|projects|languages [--half open] [--together]
 *   nokosu eval locomo|beam|questions --data FILE_OR_FOLDER [--form threads|captions|service|bare|layers] [--roles all|user]
 *     [--size 380] [--among FILE] [--trained] [--from N] [--first N] [--ablate] [--json] [--svg FILE] [--cache FOLDER]
 *
 * `own` is the project's own set, of which the half `held` was never tuned on; `projects` asks blind questions over the projects of
 * `eval/moments`, each alone or all in one store; `languages` asks in German, French, Spanish and Japanese. LoCoMo is read as it was
 * published (locomo10.json) or as JSON lines, BEAM as published (the folder chats/100K) or as JSON lines, `questions` as JSON lines
 * `{id, memory, answers, not}` (`--among`: memories that lie beside them). `--from` and `--first` pick conversations; `--ablate` leaves out
 * each ingredient in turn; `--trained` also counts what a model was trained on; `--cache` keeps vectors between runs.
 */
import { writeFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { bars } from './plot.ts'
import { barOf, printReport, withInterval } from './report.ts'
import type { Collection } from './search/collection.ts'
import { ASKED_FORMAT, FormatError } from './search/read-asked.ts'
import { ROLES, type Roles, readBeam } from './search/read-beam.ts'
import { readLanguages } from './search/read-languages.ts'
import { HALVES, type Half, readOwn } from './search/read-own.ts'
import { readProjects } from './search/read-projects.ts'
import { FORMS, type Form, readLocomo, readQuestions } from './search/read-sets.ts'
import { toTable, toThresholdTable } from './search/report.ts'
import { run } from './search/run.ts'
import { keptVectors } from './search/vector-cache.ts'
import { withoutOverlap } from './search/without-overlap.ts'

const { values, positionals } = parsed({
  options: {
    data: { type: 'string' },
    form: { type: 'string', default: 'threads' },
    roles: { type: 'string', default: 'all' },
    half: { type: 'string', default: 'held' },
    together: { type: 'boolean', default: false },
    size: { type: 'string', default: '380' },
    among: { type: 'string' },
    from: { type: 'string', default: '0' },
    first: { type: 'string' },
    ablate: { type: 'boolean', default: false },
    trained: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    svg: { type: 'string' },
    cache: { type: 'string' },
  },
  allowPositionals: true,
} as const)

const SCORING =
  'Each memory goes through the guard and admission, each question through the engine with its ten results. R@k: the share of what answers a question among the first k, averaged; "at 0.7": at the default threshold.'

/** The bars for hybrid search, by set and form. */
const BARS: Record<string, Record<string, number>> = {
  'locomo threads': { 'R@5': 0.78, 'R@10': 0.85, 'NDCG@10': 0.68 },
  'locomo bare': { 'R@10': 0.66 },
  'beam all': { 'R@10': 0.8 },
  languages: { 'R@5': 0.7 },
}

/** The parsed arguments, or an error. */
function parsed<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    return fail((error as Error).message)
  }
}

function read(set: string): Collection[] {
  const half = oneOf(values.half, HALVES, '--half') as Half
  if (set === 'own') return [readOwn(half)]
  if (set === 'projects') return readProjects(half, values.together)
  if (set === 'languages') return readLanguages()
  if (values.data === undefined) {
    fail(`${set} needs --data: the file or folder of the set${set === 'questions' ? `\n\n${ASKED_FORMAT}` : ''}`)
  }
  const { data } = values
  if (set === 'locomo') return published(set, () => readLocomo(data, oneOf(values.form, FORMS, '--form') as Form))
  if (set === 'beam') return published(set, () => readBeam(data, oneOf(values.roles, ROLES, '--roles') as Roles))
  if (set === 'questions') return questions(data)
  return fail(`unknown set ${set}: own, projects, languages, locomo, beam or questions`)
}

/** A file of another form can fail in many ways; the details do not matter. */
function published(set: string, reading: () => Collection[]): Collection[] {
  try {
    return reading()
  } catch (error) {
    return fail(`${values.data} cannot be read as ${set}: ${(error as Error).message}`)
  }
}

function questions(path: string): Collection[] {
  try {
    return readQuestions(path, { size: Number(values.size), among: values.among })
  } catch (error) {
    if (error instanceof FormatError || (error instanceof Error && 'code' in error)) fail(error.message)
    throw error
  }
}

/** Command line errors need no stack trace. */
function fail(problem: string): never {
  console.error(problem)
  process.exit(2)
}

function oneOf(value: string, all: readonly string[], option: string): string {
  if (all.includes(value)) return value
  return fail(`${option} is one of ${all.join(', ')}`)
}

const [set = 'own'] = positionals
const { from, first } = values
const chosen = read(set).slice(Number(from), first === undefined ? undefined : Number(from) + Number(first))
const { collections, leftOut } = values.trained
  ? { collections: chosen, leftOut: 'Also counted: what a model was trained on.' }
  : withoutOverlap(chosen)
if (collections.every(({ asks }) => asks.length === 0))
  fail(`${leftOut} Nothing is left to measure; --trained counts them all the same.`)
const local = localEmbedding()
const model = values.cache === undefined ? local : keptVectors(local, values.cache)
const { rows, categories, thresholds, stored } = await run(collections, model, {
  ablate: values.ablate,
  onProgress: (done) => console.error(done),
})
await local.close?.()
const note = `${stored.memories} memories, of which the guard held ${stored.withheld} back and ${stored.merged} were repeats`
const barsOf = BARS[[set, ...(set === 'locomo' ? [values.form] : set === 'beam' ? [values.roles] : [])].join(' ')] ?? {}
for (const figure of rows.find(({ name }) => name === 'hybrid')!.figures) {
  const least = barsOf[figure.name]
  if (least !== undefined) figure.bar = { least }
}
const groups = [...rows, ...categories.map((row) => ({ ...row, name: `hybrid, ${row.name}` }))]
if (values.json) {
  printReport(
    { eval: set, scoring: SCORING, groups: groups.map(({ name, figures }) => ({ name, figures, note })), leftOut },
    true,
  )
} else {
  console.log(
    `${set}, in percent, with 95 % intervals; median milliseconds with the embedding\n${SCORING}\n${leftOut}\n${note}.\n`,
  )
  console.log(toTable(rows))
  for (const figure of rows.flatMap(({ figures }) => figures))
    if (figure.bar !== undefined) console.log(`hybrid, ${figure.name}: ${withInterval(figure)}, ${barOf(figure)}`)
  console.log(`\nhybrid, by category\n\n${toTable(categories)}`)
  for (const [mode, own] of Object.entries(thresholds))
    console.log(`\n${mode}, by threshold\n\n${toThresholdTable(own)}`)
}
if (values.svg !== undefined) {
  const figure = set === 'own' ? 'R@5' : 'R@10'
  const shown = rows.flatMap((row) =>
    row.figures.filter(({ name }) => name === figure).map((one) => ({ ...one, name: row.name })),
  )
  const text = (value: number) => (100 * value).toFixed(1)
  writeFileSync(
    values.svg,
    bars(
      `${set}: ${figure} in percent, with 95 % intervals`,
      shown.map(({ bar: _, ...one }) => ({ ...one, text: text(one.value) })),
      1,
    ),
  )
}
