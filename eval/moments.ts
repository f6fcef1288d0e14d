/**
 * Measures whether agents see the memory that they need, in time:
 *
 *   nokosu eval moments [--data FOLDER] [--json]
 *
 * FOLDER is a project (`memories.jsonl` and `sessions.jsonl`, see eval/moments/README.md) or holds several; without it the projects of
 * eval/moments are measured. Those that recall was tuned on stand apart: the bars are for the others. Memories are stored through guard and admission, and every
 * moment of every session goes through `recall`: the prompt, each tool call before it runs, and its output or error.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { figuresOf, withBar } from './moments/figures.ts'
import { type Project, readProjects } from './moments/read-project.ts'
import { type ProjectReplay, replay } from './moments/replay.ts'
import { overlapFinder } from './overlap/find.ts'
import { trainingTexts } from './overlap/training.ts'
import { type Group, printReport } from './report.ts'

const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean', default: false } } })
const embedding = localEmbedding()
const overlap = overlapFinder(trainingTexts())
const ofRecall = overlapFinder(trainingTexts(['recall']))
const groups = new Map<string, ProjectReplay[]>()
let [left, all] = [0, 0]
for (const given of readProjects(values.data ?? join(import.meta.dirname, 'moments'))) {
  const tuned = isTunedOn(given)
  const project = tuned ? given : withoutOverlap(given)
  const group = tuned ? 'tuned on' : 'not tuned on'
  groups.set(group, [...(groups.get(group) ?? []), await replay(project, embedding)])
  console.error(`${project.name}: ${project.memories.length} memories, ${project.sessions.length} sessions`)
}
await embedding.close?.()
const scoring =
  'Memories are stored through guard and admission, and each moment of a session goes through recall. A need is met if its memory was shown before the step that goes better with it. Intervals are over sessions.'
const leftOut = `Left out, since a model was trained on the same or nearly the same text: ${left} of ${all} needs of projects not tuned on.`
printReport({ eval: 'moments', scoring, groups: [...groups].map(toGroup), leftOut }, values.json)

/** Sessions without the needs whose memory was in the training data. */
function withoutOverlap(project: Project): Project {
  const known = new Set(project.memories.filter(({ content }) => overlap(content) !== null).map(({ id }) => id))
  const sessions = project.sessions.map((session) => {
    const needs = session.needs.filter(({ memory }) => !known.has(memory))
    all += session.needs.length
    left += session.needs.length - needs.length
    return { ...session, needs }
  })
  return { ...project, sessions }
}

/** Whether recall was tuned on a project: under any name, or with a few changes. */
function isTunedOn({ memories }: Project): boolean {
  return memories.filter(({ content }) => ofRecall(content) !== null).length > memories.length / 2
}

function toGroup([name, replays]: [string, ProjectReplay[]]): Group {
  const sessions = replays.flatMap((each) => each.sessions)
  const times = sessions.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const held = replays.reduce((sum, each) => sum + each.held.length, 0)
  const memories = replays.reduce((sum, each) => sum + each.memories, 0)
  const projects = replays.map((each) => each.sessions[0]?.project ?? '').join(', ')
  const median = (times[times.length >> 1] ?? 0).toFixed(0)
  return {
    name,
    figures: name === 'tuned on' ? figuresOf(sessions) : figuresOf(sessions).map(withBar),
    note: `${projects}; ${sessions.length} sessions, ${memories} memories, ${held} held by the guard; ${median} ms a moment`,
  }
}
