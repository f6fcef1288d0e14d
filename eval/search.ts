/**
 * Measures search on questions with known answers:
 *
 *   node eval/search.ts own [--half open]
 *   node eval/search.ts projects [--half open] [--together]
 *   node eval/search.ts locomo|beam|questions --path FILE_OR_FOLDER [--form threads|captions|service|bare|layers]
 *     [--size 380] [--among FILE] [--first N] [--ablate] [--json] [--svg FILE] [--cache FOLDER]
 *
 * `own` is the project's own set, of which the half `held` was never tuned on; `projects` asks blind questions over the projects of
 * `eval/moments`, each alone or all in one store. LoCoMo is read as it was published (locomo10.json) or as JSON
 * lines, BEAM as published (the folder chats/100K) or as JSON lines, `questions` as JSON lines `{id, memory, answers, not}` (`--among`: memories
 * that lie beside them). `--ablate` leaves out each ingredient in turn; `--cache` keeps vectors between runs.
 */
import { writeFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import type { Collection } from './search/collection.ts'
import { ASKED_FORMAT, FormatError } from './search/read-asked.ts'
import { readBeam } from './search/read-beam.ts'
import { HALVES, type Half, readOwn } from './search/read-own.ts'
import { readProjects } from './search/read-projects.ts'
import { FORMS, type Form, readLocomo, readQuestions } from './search/read-sets.ts'
import { toSvg, toTable, toThresholdTable } from './search/report.ts'
import { run } from './search/run.ts'
import { keptVectors } from './search/vector-cache.ts'

const { values, positionals } = parsed({
  options: {
    path: { type: 'string' },
    form: { type: 'string', default: 'threads' },
    half: { type: 'string', default: 'held' },
    together: { type: 'boolean', default: false },
    size: { type: 'string', default: '380' },
    among: { type: 'string' },
    first: { type: 'string' },
    ablate: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    svg: { type: 'string' },
    cache: { type: 'string' },
  },
  allowPositionals: true,
} as const)

/** The arguments, or what is wrong with them. */
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
  if (values.path === undefined) {
    fail(`${set} needs --path: the file or folder of the set${set === 'questions' ? `\n\n${ASKED_FORMAT}` : ''}`)
  }
  const { path } = values
  if (set === 'locomo') return published(set, () => readLocomo(path, oneOf(values.form, FORMS, '--form') as Form))
  if (set === 'beam') return published(set, () => readBeam(path))
  if (set === 'questions') return questions(values.path)
  return fail(`unknown set ${set}: own, projects, locomo, beam or questions`)
}

/** A file of another form fails in many ways: which, only says that it is another. */
function published(set: string, reading: () => Collection[]): Collection[] {
  try {
    return reading()
  } catch (error) {
    return fail(`${values.path} cannot be read as ${set}: ${(error as Error).message}`)
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

/** A mistake in the command line needs no stack. */
function fail(problem: string): never {
  console.error(problem)
  process.exit(2)
}

function oneOf(value: string, all: readonly string[], option: string): string {
  if (all.includes(value)) return value
  return fail(`${option} is one of ${all.join(', ')}`)
}

const [set = 'own'] = positionals
const collections = read(set).slice(0, values.first === undefined ? undefined : Number(values.first))
const local = localEmbedding()
const model = values.cache === undefined ? local : keptVectors(local, values.cache)
const { rows, categories, thresholds } = await run(collections, model, {
  ablate: values.ablate,
  onProgress: (done) => console.error(done),
})
await local.close?.()
if (values.json) {
  console.log(JSON.stringify({ set, model: model.name, rows, categories, thresholds }, null, 1))
} else {
  console.log(`${set}, in percent, with 95 % intervals; median milliseconds with the embedding\n`)
  console.log(toTable(rows))
  console.log(`\nhybrid, by category\n\n${toTable(categories)}`)
  for (const [mode, own] of Object.entries(thresholds))
    console.log(`\n${mode}, by threshold\n\n${toThresholdTable(own)}`)
}
if (values.svg !== undefined) writeFileSync(values.svg, toSvg(set, rows, set === 'own' ? 'R@5' : 'R@10'))
