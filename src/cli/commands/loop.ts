import type { Command } from 'commander'
import { type LoopReport, type LoopTask, runLoop } from '../../agents/loop.ts'
import { WorkflowStore } from '../../agents/workflow-store.ts'
import { identifiersSchema } from '../../model/fields.ts'
import { parseInput } from '../../model/parse.ts'
import { type AgentSetupOptions, addAgentSetupOptions, finishWith, readAgentSetup, SETUP_HELP } from '../agent-setup.ts'
import { parseWhole } from '../parse-flags.ts'
import { readTasks } from '../read-tasks.ts'
import { invalid } from '../run-settings.ts'
import { formatTable } from '../table.ts'

interface Options extends AgentSetupOptions {
  tasks: string
  section?: string
  cycles: number
  coder: string
  reviewer: string
  coordinator: string
}

/** `nokosu loop` */
export function configure(command: Command): void {
  addAgentSetupOptions(command.argument('[command...]', 'the command line of an agent, after --'))
    .requiredOption(
      '--tasks <file>',
      'a JSON or YAML list of tasks: id, title, and if you like description and section',
    )
    .option('--section <id>', 'only the tasks of this section; tasks without a section belong to it')
    .option('--cycles <number>', 'submissions that one task gets at most', parseWhole, 10)
    .option('--coder <agent>', 'who works', 'nori')
    .option('--reviewer <agent>', 'who reviews', 'koji')
    .option('--coordinator <agent>', 'who is asked after 2, 5 and 9 rejections', 'miso')
    .addHelpText(
      'after',
      `
For each task the coder submits and the reviewer approves, rejects or disputes, until it is approved. What is remembered of the
task, its section and its project is in every prompt, and what happens is remembered: submissions with commit and changed files,
rejections with notes, approvals with follow-ups, the coordinator's decisions. An answer decides with its last line:
  coder        DECISION: SUBMIT or WONT_FIX
  reviewer     DECISION: APPROVE, REJECT or DISPUTE
  coordinator  DECISION: guide_coder, override_reviewer or narrow_scope
The first agent that fails ends the loop with its exit code; 1 when a task ends without approval.
${SETUP_HELP}

Examples:
  nokosu loop --project shop --section checkout --tasks tasks.yaml \\
    -- claude -p {prompt} --output-format stream-json --verbose --permission-mode acceptEdits

  tasks.yaml:
    - id: T1
      title: Retry failed payments
      section: checkout
      description: At most three times, with a growing pause`,
    )
    .action(loop)
}

async function loop(words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { section, cycles, coder, reviewer, coordinator } = options
  if (cycles < 1) throw invalid('cycles', 'it must be 1 or more')
  const tasks = inSection(await readTasks(options.tasks), section)
  if (tasks.length === 0) throw invalid('tasks', section === undefined ? 'there are none' : `none is in ${section}`)
  for (const agentId of [coder, reviewer, coordinator]) parseInput(identifiersSchema, { agentId }, 'loop')
  const { config, ...setup } = await readAgentSetup(words, options)
  const { maxSummaryLength } = config.memory
  const workflow = new WorkflowStore({ ...setup, maxSummaryLength })
  const agents = { coder, reviewer, coordinator }
  const running = runLoop({ ...setup, tasks, agents, cycles, workflow }).finally(() => workflow.close())
  await finishWith(running, setup, options, format)
}

function inSection(tasks: readonly LoopTask[], section: string | undefined): LoopTask[] {
  if (section === undefined) return [...tasks]
  return tasks.map((task) => ({ ...task, section: task.section ?? section })).filter((task) => task.section === section)
}

function format({ tasks, exitCode }: LoopReport): string {
  const table = formatTable(tasks, [
    { title: 'TASK', value: ({ task }) => task },
    { title: 'SECTION', value: ({ section }) => section ?? '' },
    { title: 'OUTCOME', value: ({ outcome }) => outcome },
    { title: 'REJECTIONS', value: ({ rejections }) => String(rejections), align: 'right' },
    { title: 'RUNS', value: ({ steps }) => String(steps.length), align: 'right' },
    { title: 'EVENTS', value: ({ events }) => events.map(nameEvent).join(', ') },
  ])
  return `${table}Loop: exit code ${exitCode}.\n`
}

function nameEvent({ type, fate }: LoopReport['tasks'][number]['events'][number]): string {
  return fate === 'stored' ? type : `${type} (${fate})`
}
