/**
 * Measures what is learned from the course of a run, without anybody saying it:
 *
 *   node eval/lessons.ts [--data PATH] [--json] [--misses]
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
import { share } from './lessons/share.ts'

interface Stretch {
  id: string
  steps: { tool: string; input: Record<string, unknown>; ok: boolean; output: string }[]
  lesson: string | null
  evidence: number[]
}

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
        'rules written on': [...filesIn(own('moments')), own('lessons/written-on.jsonl')],
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

const results = [...measured].map(([group, all]) => {
  const taught = all.filter(({ stretch }) => stretch.lesson !== null)
  const bare = all.filter(({ stretch }) => stretch.lesson === null)
  return {
    group,
    found: share(taught.filter(({ found }) => found > 0).length, taught.length),
    right: share(taught.filter(({ right }) => right).length, taught.length),
    invented: share(bare.filter(({ found }) => found > 0).length, bare.length),
  }
})
if (values.json) console.log(JSON.stringify(results, null, 1))
else for (const result of results) console.log(toText(result))

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
      const right = lessons.some(({ steps }) => overlap(steps, stretch.evidence) >= 0.5)
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

function overlap(a: readonly number[], b: readonly number[]): number {
  return a.filter((step) => b.includes(step)).length / new Set([...a, ...b]).size
}

function toText({ group, found, right, invented }: (typeof results)[number]): string {
  return [
    group,
    `  stretches with a lesson: found        ${found.text}`,
    `  found, with the right evidence        ${right.text}`,
    `  stretches without one: one invented   ${invented.text}`,
    '',
  ].join('\n')
}
