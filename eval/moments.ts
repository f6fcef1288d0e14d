/**
 * Measures whether agents see the memory that they need, in time:
 *
 *   node eval/moments.ts [--data FOLDER] [--json]
 *
 * FOLDER is a project (`memories.jsonl` and `sessions.jsonl`, see eval/moments/README.md) or holds several; without it the projects of
 * eval/moments are measured, those that recall was tuned on and the others apart. Memories are stored through the guard, and every
 * moment of every session goes through `recall`: the prompt, each tool call before it runs, and its output or error.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { type Figure, type Figures, figuresOf } from './moments/figures.ts'
import { type Project, readProjects } from './moments/read-project.ts'
import { type ProjectReplay, replay } from './moments/replay.ts'
import { TUNED_ON } from './moments/tuned-on.ts'

const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean', default: false } } })
const embedding = localEmbedding()
const groups = new Map<string, ProjectReplay[]>()
for (const project of readProjects(values.data ?? join(import.meta.dirname, 'moments'))) {
  const group = groupOf(project)
  console.error(`${project.name}: ${project.memories.length} memories, ${project.sessions.length} sessions`)
  groups.set(group, [...(groups.get(group) ?? []), await replay(project, embedding)])
}
await embedding.close?.()
const results = [...groups].map(([group, replays]) => ({ group, ...summary(replays) }))
if (values.json) console.log(JSON.stringify(results, null, 1))
else for (const result of results) console.log(toText(result))

function groupOf({ name }: Project): string {
  if (values.data !== undefined) return values.data
  return (TUNED_ON as readonly string[]).includes(name) ? 'tuned on' : 'not tuned on'
}

function summary(replays: readonly ProjectReplay[]) {
  const sessions = replays.flatMap((each) => each.sessions)
  const times = sessions.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  return {
    projects: replays.map((each) => each.sessions[0]?.project ?? ''),
    held: replays.reduce((sum, { held }) => sum + held.length, 0),
    memories: replays.reduce((sum, { memories }) => sum + memories, 0),
    milliseconds: { median: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 },
    ...figuresOf(sessions),
  }
}

function toText({ group, projects, held, memories, milliseconds, ...figures }: (typeof results)[number]): string {
  return [
    `${group} (${projects.join(', ')}): ${figures.sessions} sessions, ${memories} memories, ${held} held by the guard`,
    ...rowsOf(figures).map(([name, text]) => `  ${name.padEnd(34)}${text}`),
    `  ${'milliseconds a moment'.padEnd(34)}${milliseconds.median.toFixed(0)} median, ${milliseconds.p95.toFixed(0)} p95`,
    '',
  ].join('\n')
}

function rowsOf({ needs, byCue, lines, tokens, onTopic, idleLines }: Figures): [string, string][] {
  const share = (figure: Figure) => interval(figure, (value) => `${(100 * value).toFixed(0)} %`)
  const number = (figure: Figure) => interval(figure, (value) => value.toFixed(1))
  const counted = (figure: Figures['needs']) => `${share(figure)}  ${figure.met} of ${figure.of}`
  return [
    ['needs met in time', counted(needs)],
    ...Object.entries(byCue).map(([cue, figure]): [string, string] => [`  cue: ${cue}`, counted(figure)]),
    ['lines a session', number(lines)],
    ['tokens a session', number(tokens)],
    ['lines on topic', share(onTopic)],
    ['lines where nothing is needed', number(idleLines)],
  ]
}

function interval({ value, low, high }: Figure, format: (value: number) => string): string {
  return `${format(value)} [${format(low)} - ${format(high)}]`
}
