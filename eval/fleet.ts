/**
 * Measures whether what one agent's run learned reaches the runs of the others:
 *
 *   node eval/fleet.ts [--tasks N] [--json] [--run N]
 *
 * 20 tasks, five agents in turn, three rounds, beside 300 other memories of the project that are surer. In the first round each task's run learns one fact;
 * in the others another agent has the same task. The fact counts as shown when it is in the block at the start of the session, or comes at
 * one of its moments: the prompt, the command before it runs, and its failure. `--run` also has the first N tasks done by two agents
 * under `nokosu run`.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import type { Moment } from '../src/model/moment.ts'
import { runTasks } from './fleet/run-tasks.ts'
import { type FleetTask, TASKS } from './fleet/tasks.ts'
import { readProjects } from './moments/read-project.ts'

const { values } = parseArgs({
  options: { tasks: { type: 'string' }, run: { type: 'string' }, json: { type: 'boolean', default: false } },
})
const tasks = TASKS.slice(0, Number(values.tasks ?? TASKS.length))
const AGENTS = ['nori', 'koji', 'miso', 'dashi', 'yuzu']
/** Of other people's work, in the same project. */
const OTHERS = ['platform', 'shop']
/** They fill the block at the start of a session: what a task needs has to come at its moment. */
const SURER = 0.9

const memory = await openMemory({ storage: 'sqlite::memory:', embedding: localEmbedding() })
const project = memory.as({ projectId: 'fleet' })
const others = OTHERS.flatMap((name) => readProjects(join(import.meta.dirname, 'moments', name)))
  .flatMap(({ memories }) => memories)
  .map(({ category, service, content }) => ({ category, service, content, confidence: SURER }))
await project.bulkAdd(others, { exact: true })
const rounds: { round: number; atStart: number; atMoment: number; of: number; lines: number; tokens: number }[] = []
for (const round of [1, 2, 3]) {
  const sum = { round, atStart: 0, atMoment: 0, of: tasks.length, lines: 0, tokens: 0 }
  for (const [i, task] of tasks.entries()) {
    const seen = await run(task, AGENTS[(i + round) % AGENTS.length]!, `round-${round}-task-${i}`, round === 1)
    sum.atStart += Number(seen.atStart)
    sum.atMoment += Number(!seen.atStart && seen.atMoment)
    sum.lines += seen.lines / tasks.length
    sum.tokens += seen.tokens / tasks.length
  }
  rounds.push(sum)
}
await memory.shutdown()
if (values.json) console.log(JSON.stringify(rounds, null, 1))
else for (const round of rounds) console.log(toText(round))
if (values.run !== undefined) {
  const some = tasks.slice(0, Number(values.run))
  console.log(`nokosu run: ${await runTasks(some, others)} of ${some.length}`)
}

async function run(task: FleetTask, agentId: string, session: string, learns: boolean) {
  const own = memory.as({ agentId, projectId: 'fleet' })
  const start = await own.context({ session })
  const seen = {
    atStart: start.memories.some(({ content }) => content === task.fact),
    atMoment: false,
    lines: start.included.length,
    tokens: start.tokens,
  }
  for (const moment of momentsOf(task)) {
    const { lines, tokens } = await own.recall({ session, moment })
    seen.atMoment ||= lines.some((line) => line.memory.content === task.fact)
    seen.lines += lines.length
    seen.tokens += tokens
  }
  const { fact: content, category, service } = task
  if (learns) await own.remember({ content, category, service }, { session })
  return seen
}

function momentsOf({ prompt, command, error }: FleetTask): Moment[] {
  const use = { name: 'Bash', input: { command } }
  const failed: Moment[] = error === undefined ? [] : [{ kind: 'failure', ...use, error }]
  return [{ kind: 'prompt', text: prompt }, { kind: 'tool', ...use }, ...failed]
}

function toText({ round, atStart, atMoment, of, lines, tokens }: (typeof rounds)[number]): string {
  const shown = atStart + atMoment
  const [low, high] = interval(shown, of)
  const share = `${shown} of ${of} [${percent(low)} - ${percent(high)}]`
  return `round ${round}: ${share}, ${atStart} at the start, ${atMoment} at a moment; ${lines.toFixed(1)} lines and ${tokens.toFixed(0)} tokens a run`
}

/** Wilson's, for 95 %. */
function interval(met: number, of: number): [number, number] {
  const [share, z] = [met / of, 1.96]
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of)
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}
