import type { Command } from 'commander'
import { describeOutcomes } from '../../agents/outcome-exit.ts'
import { type PipelineReport, runPipeline } from '../../agents/pipeline.ts'
import {
  type AgentSetupOptions,
  addAgentSetupOptions,
  describeMemories,
  finishWith,
  readAgentSetup,
  SETUP_HELP,
} from '../agent-setup.ts'
import { parseWhole } from '../parse-flags.ts'
import { readText } from '../read-text.ts'
import { invalid } from '../run-settings.ts'
import { formatTable } from '../table.ts'

interface Options extends AgentSetupOptions {
  rounds: number
}

/** `nokosu pipeline` */
export function configure(command: Command): void {
  command.argument('<feature>', 'what is to be built (- for standard input)')
  addAgentSetupOptions(command.argument('[command...]', 'the command line of an agent, after --'))
    .option('--rounds <number>', 'how often the reviewer may send the work back', parseWhole, 2)
    .addHelpText(
      'after',
      `
Runs miso (architect), nori (coder), koji (reviewer) and toro (tester) in this order on one feature, each with its personality,
role and memories of the project, and each told the design, the work and all reviews so far. When koji says VERDICT: REJECT, nori
and koji have another round. toro says PASSED or FAILED.
${SETUP_HELP}

${describeOutcomes('rejected', 'testsFailed', 'unclear')}

Examples:
  nokosu pipeline --project shop "A page that lists open orders" \\
    -- claude -p {prompt} --output-format stream-json --verbose --permission-mode acceptEdits
  nokosu pipeline --project shop --workspace ~/shop --json - < feature.md > report.json`,
    )
    .action(pipeline)
}

async function pipeline(feature: string, words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const text = (await readText(feature)).trim()
  if (text === '') throw invalid('feature', 'it is empty')
  if (options.rounds < 0) throw invalid('rounds', 'it must be 0 or more')
  const { config: _config, ...setup } = await readAgentSetup(words, options)
  const running = runPipeline({ ...setup, feature: text, rounds: options.rounds })
  await finishWith(running, setup, options, format)
}

function format({ steps, outcome, exitCode }: PipelineReport): string {
  const table = formatTable(steps, [
    { title: 'AGENT', value: ({ agent }) => agent ?? '' },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'ROUND', value: ({ round }) => String(round), align: 'right' },
    { title: 'EXIT', value: (step) => String(step.exitCode), align: 'right' },
    { title: 'SHOWN', value: ({ shown }) => String(shown), align: 'right' },
    { title: 'VERDICT', value: ({ verdict }) => verdict ?? '' },
    { title: 'SESSION', value: ({ session }) => session ?? '' },
    { title: 'MEMORIES', value: ({ memories, spooled }) => describeMemories(memories, spooled) },
  ])
  return `${table}Pipeline: ${outcome} (exit code ${exitCode}).${NEXT[outcome]}\n`
}

const AGAIN = '--json has it as handOff, to be given with the feature when the pipeline is run again.'

/** What to do next. */
const NEXT: Record<PipelineReport['outcome'], string> = {
  done: '',
  failed: ' The last agent above ended with an error; what it said is above.',
  rejected: ` koji still has findings: they are above, and ${AGAIN} More rounds: --rounds.`,
  'tests failed': ` toro found failures: its report is above, and ${AGAIN}`,
  'no verdict': ` The last agent above did not say what it found: read its answer, and decide yourself. ${AGAIN}`,
}
