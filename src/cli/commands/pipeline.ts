import { loopFolders } from '../../agents/loop-state.ts'
import { describeOutcomes } from '../../agents/outcome-exit.ts'
import { type PipelineReport, runPipeline } from '../../agents/pipeline.ts'
import { PipelineState } from '../../agents/pipeline-state.ts'
import {
  AGENT_COMMAND,
  AGENT_OPTIONS,
  describeMemories,
  finishWith,
  readAgentSetup,
  SETUP_HELP,
} from '../agent-setup.ts'
import { defineCommand } from '../command.ts'
import { readText } from '../input.ts'
import { invalid, whole } from '../parse-flags.ts'
import { formatTable } from '../table.ts'

export const { configure } = defineCommand({
  arguments: [['<feature>', 'what to build (- for standard input)'], AGENT_COMMAND],
  options: {
    ...AGENT_OPTIONS,
    '--rounds <number>': ['how often the reviewer may send the work back', whole(0), 2],
    '--from-start': 'ask every agent instead of resuming a failed pipeline on the same feature',
  },
  help: `
Runs miso (architect), nori (coder), koji (reviewer) and toro (tester) in this order on one feature, each with its personality,
role and memories of the project, and each told the design, the work and all reviews so far. When koji says VERDICT: REJECT, nori
and koji have another round. toro says PASSED or FAILED. A failed pipeline, run again with the same feature, resumes at the agent that
failed.
${SETUP_HELP}

${describeOutcomes('rejected', 'testsFailed', 'unclear')}

Examples:
  nokosu pipeline --project shop "A page that lists open orders" \\
    -- claude -p {prompt} --output-format stream-json --verbose --permission-mode acceptEdits
  nokosu pipeline --project shop --workspace ~/shop --json - < feature.md > report.json`,
  async run(options, given, words) {
    const feature = (await readText(given)).trim()
    if (feature === '') throw invalid('feature', 'it is empty')
    const { config: _, ...setup } = await readAgentSetup(words, options)
    const { remember, spoolFolders, project } = setup
    const state = remember ? new PipelineState(loopFolders(spoolFolders), project, feature) : null
    if (options.fromStart) await state?.forget()
    await finishWith(runPipeline({ ...setup, feature, rounds: options.rounds, state }), setup, options, format)
  },
})

function format({ steps, outcome, exitCode }: PipelineReport): string {
  const table = formatTable(steps, [
    { title: 'AGENT', value: ({ agent }) => agent ?? '' },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'ROUND', value: ({ round }) => String(round), align: 'right' },
    { title: 'EXIT', value: (step) => String(step.exitCode), align: 'right' },
    { title: 'SHOWN', value: ({ shown }) => String(shown), align: 'right' },
    { title: 'VERDICT', value: ({ verdict }) => verdict ?? '' },
    { title: 'SESSION', value: ({ session }) => session ?? '' },
    { title: 'MEMORIES', value: (step) => describeMemories(step) },
  ])
  return `${table}Pipeline: ${outcome} (exit code ${exitCode}).${NEXT[outcome]}\n`
}

const AGAIN = '--json has it as handOff; pass it with the feature when you run the pipeline again.'

const NEXT: Record<PipelineReport['outcome'], string> = {
  done: '',
  failed: ' The last agent above ended with an error; what it said is above. Run it again to resume there.',
  rejected: ` koji still has findings: they are above, and ${AGAIN} More rounds: --rounds.`,
  'tests failed': ` toro found failures: its report is above, and ${AGAIN}`,
  'no verdict': ` The last agent above did not say what it found: read its answer, and decide yourself. ${AGAIN}`,
}
