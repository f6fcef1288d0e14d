import type { AgentSetup, AgentStep } from '../agents/ask-agent.ts'
import type { Config } from '../config/load-config.ts'
import { identifiersSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import type { FlagTable, OptionsOf } from './command.ts'
import { countOutcomes } from './format-outcome.ts'
import { PROJECT_OPTION } from './identifiers.ts'
import { leaveSignalsAlone } from './interruption.ts'
import { missingScope } from './missing-scope.ts'
import { type GlobalOptions, settleProject } from './open-engine.ts'
import { printJson, write, writeError } from './output.ts'
import { CLOSE_MS, endWith, RUN_OPTIONS, readRunSettings, say } from './run-settings.ts'
import { processShell, shell } from './shell.ts'

const DEFAULT_COMMAND = ['claude', '-p', '{prompt}', '--output-format', 'stream-json', '--verbose'] as const

export const AGENT_COMMAND = ['[command...]', 'the command line of an agent, after --'] as const

export const AGENT_OPTIONS = {
  ...RUN_OPTIONS,
  ...PROJECT_OPTION,
  '--quiet': 'do not show the agents’ output on standard error',
} as const satisfies FlagTable

export const SETUP_HELP = `
The command is run for each agent, with its prompt in place of {prompt}; the default is
  claude -p {prompt} --output-format stream-json --verbose
The agents’ output is shown on standard error, and the final report on standard output. Ctrl-C stops everything and leaves the
workspace as it was. A store that is down or slow never stops an agent: the agent only runs without memories.`

/** From here on signals go to the agents, and the first one stops everything that would follow. */
export async function readAgentSetup(
  words: readonly string[],
  options: GlobalOptions & OptionsOf<typeof AGENT_OPTIONS>,
): Promise<AgentSetup & { config: Config; project: string }> {
  const settled = await settleProject(options, async (config) => {
    const { project } = config
    if (project === undefined) throw missingScope({ all: false })
    parseInput(identifiersSchema, { projectId: project }, 'run')
    return { ...(await readRunSettings(options, config)), config, project }
  })
  const setup = {
    ...settled,
    template: words.length === 0 ? DEFAULT_COMMAND : words,
    tell: options.quiet ? () => {} : say,
    // As for agents' own output: nothing in it can control the terminal.
    errors: writeError,
    interrupted: watchForStop(),
  }
  // A closed output is no reason to stop.
  shell().stderr.on('error', () => {})
  return setup
}

export async function finishWith<Report extends { exitCode: number }>(
  running: Promise<Report>,
  { store }: AgentSetup,
  { json }: GlobalOptions,
  format: (report: Report) => string,
): Promise<void> {
  const report = await running.finally(() => store.close(CLOSE_MS))
  await (json ? printJson(report) : write(format(report)))
  await endWith(report.exitCode)
}

/** `3 new, 1 reinforced, 1 waiting`: what became of a run's memories. */
export function describeMemories({ memories, spooled }: Pick<AgentStep, 'memories' | 'spooled'>): string {
  return [...countOutcomes(memories), ...(spooled > 0 ? [`${spooled} waiting`] : [])].join(', ') || 'none'
}

const STOP_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

function watchForStop(): () => number | null {
  if (shell() !== processShell()) return () => null
  leaveSignalsAlone()
  let code: number | null = null
  for (const signal of Object.keys(STOP_CODES) as (keyof typeof STOP_CODES)[]) {
    process.on(signal, () => {
      code ??= STOP_CODES[signal]
    })
  }
  return () => code
}
