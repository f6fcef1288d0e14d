/**
 * Measures what is learned from the course of a run, without anybody saying it:
 *
 *   node eval/lessons.ts [--data FOLDER] [--json] [--misses]
 *
 * FOLDER is a project with `lessons.jsonl` (see eval/moments/README.md) or holds several; without it the projects of eval/moments are
 * measured, those that the rules were written on and the others apart. Each stretch goes through `captureStream` as stream-json. A lesson
 * counts as right when its evidence and the writer's share at least half of the steps that either names.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { captureStream } from '../src/capture/capture.ts'
import { share } from './lessons/share.ts'

interface Stretch {
  id: string
  steps: { tool: string; input: Record<string, unknown>; ok: boolean; output: string }[]
  lesson: string | null
  evidence: number[]
}

/** The projects whose stretches were read while the rules were written. */
const WRITTEN_ON = [
  'shop',
  'home-ops',
  'ledger',
  'telemetry',
  'crm',
  'iot',
  'news',
  'oss',
  'platform',
  'games',
  'payments',
]

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
  },
})
const folder = values.data ?? join(import.meta.dirname, 'moments')
const projects = existsSync(join(folder, 'lessons.jsonl'))
  ? [folder]
  : readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(path, 'lessons.jsonl')))
if (projects.length === 0) {
  console.error(`${folder} has no lessons.jsonl, and no folder in it has.`)
  process.exit(2)
}

const groups = new Map<string, { stretch: Stretch; found: number; right: boolean }[]>()
for (const project of projects) {
  const lines = readFileSync(join(project, 'lessons.jsonl'), 'utf8').trim().split('\n')
  for (const line of lines) {
    const stretch = JSON.parse(line) as Stretch
    const lessons = await lessonsOf(stretch)
    const right = lessons.some(({ steps }) => overlap(steps, stretch.evidence) >= 0.5)
    const group =
      values.data ?? (WRITTEN_ON.includes(basename(project)) ? 'rules written on' : 'not seen while writing the rules')
    groups.set(group, [...(groups.get(group) ?? []), { stretch, found: lessons.length, right }])
    const isMiss = stretch.lesson === null ? lessons.length > 0 : !right
    if (values.misses && isMiss) {
      console.error(`${basename(project)} ${stretch.id}: ${stretch.lesson ?? 'no lesson'}`)
      for (const { content } of lessons) console.error(`  told: ${content}`)
    }
  }
}

const results = [...groups].map(([group, all]) => {
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
