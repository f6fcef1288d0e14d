import { type LoopReport, runLoop } from '../../agents/loop.ts'
import { LoopState, loopFolders, type TaskOutcome } from '../../agents/loop-state.ts'
import type { LoopTask } from '../../agents/loop-task.ts'
import { describeOutcomes } from '../../agents/outcome-exit.ts'
import { WorkflowStore } from '../../agents/workflow-store.ts'
import { identifiersSchema } from '../../model/fields.ts'
import { parseInput } from '../../model/parse.ts'
import { AGENT_COMMAND, AGENT_OPTIONS, finishWith, readAgentSetup, SETUP_HELP } from '../agent-setup.ts'
import { defineCommand } from '../command.ts'
import { invalid, text, whole } from '../parse-flags.ts'
import { readTasks } from '../read-tasks.ts'
import { formatTable } from '../table.ts'

export const { configure } = defineCommand({
  arguments: [AGENT_COMMAND],
  required: { '--tasks <file>': 'a JSON or YAML list of tasks: id, title, and optionally description and section' },
  options: {
    ...AGENT_OPTIONS,
    '--section <id>': 'only the tasks of this section; tasks without a section belong to it',
    '--cycles <number>': ['the maximum number of submissions per task', whole(1), 10],
    '--from-start': 'start every task over instead of resuming the last loop',
    '--coder <agent>': ['the agent that does the work', text, 'nori'],
    '--reviewer <agent>': ['the agent that reviews', text, 'koji'],
    '--coordinator <agent>': ['the agent that is asked after 2, 5 and 9 rejections', text, 'miso'],
  },
  help: `
For each task the coder submits and the reviewer approves, rejects or disputes, until it is approved. Every prompt has the
memories of the task, its section and its project, and the loop stores what happens: submissions with commit and changed files,
rejections with notes, approvals with follow-ups, the coordinator's decisions. A line of an answer decides:
  coder        DECISION: SUBMIT or WONT_FIX
  reviewer     DECISION: APPROVE, REJECT or DISPUTE
  coordinator  DECISION: guide_coder, override_reviewer or narrow_scope
Every prompt has all earlier rounds of the task. A loop that is run again skips approved tasks and resumes the others; a task whose
title, description or section has changed starts over, and so do all tasks with --from-start.
${SETUP_HELP}

${describeOutcomes('rejected', 'needsPerson', 'unclear')}
With several tasks: the first of 12, 10 and 14 that any task ended with.

Examples:
  nokosu loop --project shop --section checkout --tasks tasks.yaml \\
    -- claude -p {prompt} --output-format stream-json --verbose --permission-mode acceptEdits

  tasks.yaml:
    - id: T1
      title: Retry failed payments
      section: checkout
      description: At most three times, with a growing pause`,
  async run(options, words) {
    const { section, cycles, coder, reviewer, coordinator, fromStart = false } = options
    const tasks = inSection(await readTasks(options.tasks), section)
    if (tasks.length === 0) throw invalid('tasks', section === undefined ? 'there are none' : `none are in ${section}`)
    for (const agentId of [coder, reviewer, coordinator]) parseInput(identifiersSchema, { agentId }, 'loop')
    const { config, ...setup } = await readAgentSetup(words, options)
    const { maxSummaryLength } = config.memory
    const workflow = new WorkflowStore({ ...setup, maxSummaryLength })
    const agents = { coder, reviewer, coordinator }
    const state = setup.remember ? new LoopState(loopFolders(setup.spoolFolders), setup.project) : null
    const running = runLoop({ ...setup, tasks, agents, cycles, workflow, state, fromStart }).finally(() =>
      workflow.close(),
    )
    await finishWith(running, setup, options, format)
  },
})

function inSection(tasks: readonly LoopTask[], section: string | undefined): LoopTask[] {
  if (section === undefined) return [...tasks]
  return tasks.map((task) => ({ ...task, section: task.section ?? section })).filter((task) => task.section === section)
}

function format({ tasks, exitCode }: LoopReport): string {
  const table = formatTable(tasks, [
    { title: 'TASK', value: ({ task }) => task },
    { title: 'SECTION', value: ({ section }) => section ?? '' },
    { title: 'OUTCOME', value: ({ outcome, steps }) => (steps.length === 0 ? `${outcome} earlier` : outcome) },
    { title: 'REJECTIONS', value: ({ rejections }) => String(rejections), align: 'right' },
    { title: 'RUNS', value: ({ steps }) => String(steps.length), align: 'right' },
    { title: 'EVENTS', value: ({ events }) => events.map(nameEvent).join(', ') },
  ])
  const next = NEXT.filter(([outcome]) => tasks.some((task) => task.outcome === outcome))
  const said = next.map(([outcome, say]) => `${say(namesOf(tasks, outcome))}\n`).join('')
  return `${table}Loop: exit code ${exitCode}.\n${said}${offerFollowUps(tasks.flatMap(({ followUps }) => followUps))}`
}

/** In the format of the tasks file: JSON, which YAML understands. */
function offerFollowUps(tasks: readonly LoopTask[]): string {
  if (tasks.length === 0) return ''
  const lines = tasks.map((task) => `- ${JSON.stringify(task)}\n`)
  return `Follow-ups from the reviewer, to add to the tasks:\n${lines.join('')}`
}

const NEXT: readonly (readonly [TaskOutcome, (names: string) => string])[] = [
  ['failed', (names) => `${names}: stopped. Run the loop again to resume there.`],
  [
    'disputed',
    (names) =>
      `${names}: NEEDS A PERSON. Decide what the reviewer asks, write it into the task, and run the loop again.`,
  ],
  ['rejected', (names) => `${names}: not approved. Run the loop again for more rounds, or change the task.`],
  [
    'unclear',
    (names) =>
      `${names}: an agent did not say what it decided. Read its answer, and run the loop again to ask it once more.`,
  ],
]

function namesOf(tasks: LoopReport['tasks'], outcome: TaskOutcome): string {
  return tasks.flatMap((task) => (task.outcome === outcome ? task.task : [])).join(', ')
}

function nameEvent({ type, fate }: LoopReport['tasks'][number]['events'][number]): string {
  return fate === 'stored' ? type : `${type} (${fate})`
}
