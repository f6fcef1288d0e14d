/**
 * Measures what is learned from the tool calls of a run, without markers:
 *
 *   nokosu eval lessons [--data PATH] [--json] [--misses]
 *
 * PATH is a file of stretches, a project with `lessons.jsonl` (see eval/moments/README.md), or a folder of such projects. Without it two groups
 * are measured: the stretches that the rules were written on (eval/moments, eval/lessons/written-on.jsonl), and those of
 * eval/lessons/report.jsonl, whose misses nobody may read while working on the rules. Each stretch goes through `captureStream` as
 * stream-json. A lesson counts as right when its evidence and the writer's share at least half of the steps that either names.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { captureStream } from '../src/capture/capture.ts'
import { share } from './interval.ts'
import { overlapFinder } from './overlap/find.ts'
import { trainingTexts } from './overlap/training.ts'
import { printReport } from './report.ts'

interface Stretch {
  id: string
  steps: { tool: string; input: Record<string, unknown>; ok: boolean; output: string }[]
  lesson: string | null
  evidence: number[]
}

const WRITTEN_ON = 'rules written on'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
  },
})
const own = (path: string) => join(import.meta.dirname, path)
const groups: Record<string, string[]> =
  values.data === undefined
    ? {
        [WRITTEN_ON]: [...filesIn(own('moments')), own('lessons/written-on.jsonl')],
        'written before the rules were read': [own('lessons/report.jsonl')],
      }
    : { [values.data]: filesIn(values.data) }

const measured = new Map<string, { stretch: Stretch; found: number; right: boolean }[]>()
for (const [group, files] of Object.entries(groups)) {
  if (files.length === 0) {
    console.error(`${group} has no lessons.jsonl, and no folder in it has.`)
    process.exit(2)
  }
  measured.set(group, (await Promise.all(files.map(measure))).flat())
}

const overlap = overlapFinder(trainingTexts())
let [left, counted] = [0, 0]
const results = [...measured].map(([name, all]) => {
  const fresh = all.filter(({ stretch }) => stretch.lesson === null || overlap(stretch.lesson) === null)
  counted += all.length
  left += all.length - fresh.length
  const taught = fresh.filter(({ stretch }) => stretch.lesson !== null)
  const bare = fresh.filter(({ stretch }) => stretch.lesson === null)
  const bars = name === WRITTEN_ON ? [] : ([{ least: 0.7 }, { most: 0.15 }] as const)
  const figures = [
    share('a lesson found where there is one', taught.filter(({ found }) => found > 0).length, taught.length),
    share('found, with the right evidence', taught.filter(({ right }) => right).length, taught.length, bars[0]),
    share('a lesson where there is none', bare.filter(({ found }) => found > 0).length, bare.length, bars[1]),
  ]
  return { name, figures }
})
const scoring =
  'Recorded work goes through capture as stream-json. A lesson is right when its evidence and the writer’s share at least half of the steps that either names.'
const leftOut = `Left out, since a model was trained on the same or nearly the same text: ${left} of ${counted} stretches.`
printReport({ eval: 'lessons', scoring, groups: results, leftOut }, values.json)

function filesIn(path: string): string[] {
  if (path.endsWith('.jsonl')) return [path]
  const file = join(path, 'lessons.jsonl')
  if (existsSync(file)) return [file]
  return readdirSync(path)
    .map((name) => join(path, name, 'lessons.jsonl'))
    .filter((each) => existsSync(each))
}

async function measure(file: string) {
  const stretches = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Stretch)
  return Promise.all(
    stretches.map(async (stretch) => {
      const lessons = await lessonsOf(stretch)
      const right = lessons.some(({ steps }) => common(steps, stretch.evidence) >= 0.5)
      if (values.misses && (stretch.lesson === null ? lessons.length > 0 : !right)) {
        console.error(`${file} ${stretch.id}: ${stretch.lesson ?? 'no lesson'}`)
        for (const { content } of lessons) console.error(`  told: ${content}`)
      }
      return { stretch, found: lessons.length, right }
    }),
  )
}

async function lessonsOf({ steps }: Stretch) {
  const events = steps.flatMap(({ tool, input, ok, output }, at) => [
    { type: 'assistant', message: { id: `m${at}`, content: [{ type: 'tool_use', id: `t${at}`, name: tool, input }] } },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `t${at}`, is_error: !ok, content: output }] },
    },
  ])
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const source = (async function* () {
    yield bytes
  })()
  const { candidates } = await captureStream(source, { format: 'stream-json', lessons: true })
  return candidates.map(({ content, metadata }) => ({
    content,
    steps: (metadata.observed as { steps: number[] }).steps,
  }))
}

function common(a: readonly number[], b: readonly number[]): number {
  return a.filter((step) => b.includes(step)).length / new Set([...a, ...b]).size
}
