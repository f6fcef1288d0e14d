/** Measures how long it takes to tell a repeat from a contradiction, with both bundled models. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localEmbedding } from '../src/embedding/local.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import type { TextPair } from '../src/lifecycle/relate/relation.ts'
import { localRelationModel } from '../src/lifecycle/relate/relation-model.ts'
import { OPERATIONAL_CATEGORIES } from '../src/model/categories.ts'
import { digits, type Section, since, time } from './report.ts'
import { sayings } from './sayings.ts'
import { PROJECT } from './synthetic.ts'

const MEMORIES = 1200
const MARKERS = 20
const REMEMBERED = 200
const NEIGHBOURS = 10
const ROUNDS = 30
/** Markers as agents write them. Only memories of one category are compared with each other. */
const CATEGORIES = OPERATIONAL_CATEGORIES

export async function benchAdmission(): Promise<Section> {
  const model = await measureModel()
  const engine = await measureEngine(1)
  const mixed = await measureEngine(CATEGORIES.length)
  const rows = [
    {
      ...model,
      ...engine,
      'five categories': mixed['remember, a second'],
      'five, processor, ms': mixed['processor, ms'],
    },
  ]
  return {
    title: 'Admission with both models',
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, digits(value, value < 10 ? 2 : 0)])),
    ),
    checks: [
      { claim: 'the relation model loads', measured: model['load, ms'], bar: 200, better: 'less', unit: 'ms' },
      { claim: 'one against ten neighbours', measured: model['1 : 10, ms'], bar: 80, better: 'less', unit: 'ms' },
      {
        claim: '20 markers among 1,200 memories, both models loaded in that time',
        measured: engine['20 markers, s'],
        bar: 1.5,
        better: 'less',
        unit: 's',
      },
      {
        claim: 'remember of distinct texts, one by one, all of one category and no service',
        measured: engine['remember, a second'],
        bar: 60,
        better: 'more',
        unit: 'a second',
      },
      {
        claim: 'the same, with the five categories of markers in turn',
        measured: mixed['remember, a second'],
        bar: 60,
        better: 'more',
        unit: 'a second',
      },
    ],
  }
}

async function measureModel() {
  const model = localRelationModel()
  const before = process.cpuUsage()
  const started = performance.now()
  await model.warm()
  const load = since(started)
  const loadProcessor = processorSince(before)
  const texts = sayings(ROUNDS * (NEIGHBOURS + 1)).map(({ text }) => text)
  const asking = process.cpuUsage()
  const ask = await time(ROUNDS, (round) => {
    const start = round * (NEIGHBOURS + 1)
    const [first, ...others] = texts.slice(start, start + NEIGHBOURS + 1)
    return model.ask(others.map((other): TextPair => [first!, other]))
  })
  const askProcessor = processorSince(asking) / ROUNDS
  await model.close()
  return {
    'load, ms': load,
    'load, processor': loadProcessor,
    '1 : 10, ms': ask.median,
    '1 : 10, processor': askProcessor,
  }
}

/** CPU milliseconds, which are more reliable than wall time on a busy machine. */
function processorSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** More categories mean fewer memories to compare; one category is the maximum. */
async function measureEngine(categories: number) {
  const category = (i: number) => CATEGORIES[i % categories]!
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const storage = `sqlite:${join(folder, 'memory.db')}`
  const all = sayings(MEMORIES + 2 * MARKERS + REMEMBERED)
  const known = all.slice(0, MEMORIES)
  const fresh = all.slice(MEMORIES)
  const filling = await openMemory({ storage, embedding: localEmbedding(), relations: null, poisons: null })
  await filling.bulkAdd(
    known.map(({ text }, i) => ({ content: text, category: category(i), layer: 'project', identifiers: PROJECT })),
    { exact: true },
  )
  await filling.shutdown()

  const engine = await openMemory({ storage, embedding: localEmbedding() })
  const mine = engine.as(PROJECT)
  /** Half of the markers contradict what is known, half say something new. */
  const capture = async (part: number) => {
    const markers = Array.from({ length: MARKERS }, (_, i) => {
      const at = part * MARKERS + i
      return `[MEMORY:${category(at * 23)}] ${i % 2 === 0 ? known[at * 23]!.contrary : fresh[at]!.text}`
    })
    const started = performance.now()
    const { outcomes } = await mine.capture(markers.join('\n'), { format: 'text', session: `run-${part}` })
    if (outcomes.length !== MARKERS) throw new Error(`${outcomes.length} outcomes`)
    return since(started) / 1000
  }
  const cold = await capture(0)
  const warm = await capture(1)
  const distinct = fresh.slice(2 * MARKERS)
  const before = process.cpuUsage()
  const started = performance.now()
  for (const [i, { text }] of distinct.entries()) {
    await mine.remember([{ content: text, category: category(i), source: 'manual' }], {})
  }
  const rate = (distinct.length / since(started)) * 1000
  const processor = processorSince(before) / distinct.length
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  return { '20 markers, s': cold, 'with both loaded, s': warm, 'remember, a second': rate, 'processor, ms': processor }
}
