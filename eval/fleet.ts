/**
 * Measures whether memory helps: 20 recurring tasks, five agents, three rounds, and 300 other memories of the project:
 *
 *   nokosu eval fleet [--tasks N] [--json] [--run N]
 *
 * For each task one of the 300 is wrong: outdated, or an agent's mistake. In each round every task is done by another agent. Four
 * arms: no memory; a CLAUDE.md with everything, which runs append to; the block at the start of a session, by confidence; recall at each moment
 * (the prompt, the command before it runs, and its failure). A run records what it had to find out itself. `--run N` also runs the first N tasks with two
 * agents under `nokosu run`.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import type { Moment } from '../src/model/moment.ts'
import { type Arm, engine, type Given, noMemory, oneFile } from './fleet/arms.ts'
import { runTasks } from './fleet/run-tasks.ts'
import { type FleetTask, TASKS } from './fleet/tasks.ts'
import { ratio } from './interval.ts'
import { readProjects } from './moments/read-project.ts'
import { type Group, printReport } from './report.ts'

const { values } = parseArgs({
  options: {
    tasks: { type: 'string' },
    run: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const tasks = TASKS.slice(0, Number(values.tasks ?? TASKS.length))
const AGENTS = ['nori', 'koji', 'miso', 'dashi', 'yuzu']
const ROUNDS = [1, 2, 3]
const OTHERS = 300
/** Notes about other work in the same project. Their confidence is higher than one run's, as if many runs had confirmed them. */
const PROJECTS = ['platform', 'shop']
/** Steps of a run that knows the fact before its command, and extra steps if only the failure reveals it, if nothing does, or if it was misled. */
const STEPS = { known: 3, told: 1, found: 5, misled: 2 }

/** The outcome of one run. */
interface Outcome {
  task: number
  round: number
  shown: boolean
  misled: number
  steps: number
  tokens: number
}

const embedding = localEmbedding()
const others = PROJECTS.flatMap((name) => readProjects(join(import.meta.dirname, 'moments', name)))
  .flatMap(({ memories }) => memories)
  .slice(0, OTHERS - tasks.length)
const arms = [
  noMemory(),
  oneFile(),
  await engine('context by confidence only', embedding, { start: true, moments: false }),
  await engine('recall at each moment', embedding, { start: false, moments: true }),
]
const groups: Group[] = []
for (const arm of arms) {
  groups.push({ name: arm.name, figures: figuresOf(await live(arm)) })
  await arm.close()
  console.error(arm.name)
}
await embedding.close?.()
const scoring = `A run takes ${STEPS.known} steps when it is shown its fact before its command; ${STEPS.told} more when only the failure brings it, ${STEPS.found} more when nothing does, ${STEPS.misled} more when it follows the wrong one. It follows the wrong one when that is shown without the right one, and every other time when both are shown and neither is marked as disputed. Facts shown and wrong facts followed are of rounds 2 and 3, when a run before could have left the fact; steps and tokens are of all three. Intervals are over tasks. Steps follow from what was shown; no model was asked.`
printReport({ eval: 'fleet', scoring, groups }, values.json)
if (values.run !== undefined) {
  const some = tasks.slice(0, Number(values.run))
  console.log(`nokosu run: ${await runTasks(some, others)} of ${some.length}`)
}

/** Three rounds of all tasks. */
async function live(arm: Arm): Promise<Outcome[]> {
  const wrong = (stale: boolean) =>
    tasks
      .filter((task) => (task.stale ?? false) === stale)
      .map(({ wrong: content, category, service }) => ({ content, category, service }))
  await arm.store(wrong(true), { agent: 'toro', day: -60 })
  await arm.store(others, 'operator')
  await arm.store(wrong(false), { agent: 'toro', day: -3 })
  const outcomes: Outcome[] = []
  for (const round of ROUNDS) {
    for (const [i, task] of tasks.entries()) outcomes.push(await perform(arm, task, { i, round }))
  }
  return outcomes
}

async function perform(arm: Arm, task: FleetTask, { i, round }: { i: number; round: number }): Promise<Outcome> {
  const run = { agent: AGENTS[(i + round) % AGENTS.length]!, session: `round-${round}-task-${i}` }
  const use = { name: 'Bash', input: { command: task.command } }
  const before = [await arm.atStart(run)]
  const moments: Moment[] = [
    { kind: 'prompt', text: task.prompt },
    { kind: 'tool', ...use },
  ]
  for (const moment of moments) before.push(await arm.atMoment(run, moment))
  const { error } = task
  const after = error === undefined ? [] : [await arm.atMoment(run, { kind: 'failure', ...use, error })]
  const knows = holds(before, task.fact)
  const told = !knows && holds(after, task.fact)
  const misled = holds(before, task.wrong, { undisputed: true }) ? (knows ? 0.5 : 1) : 0
  if (!(knows || told) || misled > 0) {
    const { fact: content, category, service } = task
    await arm.leave(run, { content, category, service }, round)
  }
  const { known, told: more, found, misled: back } = STEPS
  return {
    ...{ task: i, round, misled, shown: knows || told },
    steps: known + (knows ? 0 : told ? more : found) + back * misled,
    tokens: [...before, ...after].reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

function holds(given: readonly Given[], fact: string, { undisputed = false } = {}): boolean {
  return given.some(({ lines }) => lines.some(({ content, disputed }) => content === fact && !(undisputed && disputed)))
}

function figuresOf(outcomes: readonly Outcome[]): Group['figures'] {
  const of = (name: string, unit: 'share' | 'number', from: number, count: (outcome: Outcome) => number) => {
    const byTask = Map.groupBy(
      outcomes.filter(({ round }) => round >= from),
      ({ task }) => task,
    )
    const parts = [...byTask.values()].map(
      (own) => [own.reduce((sum, one) => sum + count(one), 0), own.length] as const,
    )
    return ratio(name, parts, { unit })
  }
  return [
    of('needed facts shown', 'share', 2, ({ shown }) => Number(shown)),
    of('wrong facts followed', 'share', 2, ({ misled }) => misled),
    of('steps a run', 'number', 1, ({ steps }) => steps),
    of('tokens shown a run', 'number', 1, ({ tokens }) => tokens),
  ]
}
