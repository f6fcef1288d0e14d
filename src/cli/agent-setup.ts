import type { Command } from 'commander'
import type { AgentSetup } from '../agents/ask-agent.ts'
import type { Config } from '../config/load-config.ts'
import { identifiersSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import { leaveSignalsAlone } from './interruption.ts'
import { missingScope } from './missing-scope.ts'
import { type GlobalOptions, readConfig } from './open-engine.ts'
import { printJson, write, writeError } from './output.ts'
import { addRunSettings, CLOSE_MS, endWith, type RunSettingsOptions, readRunSettings, say } from './run-settings.ts'
import { processShell, shell } from './shell.ts'

export interface AgentSetupOptions extends RunSettingsOptions {
  quiet?: boolean
}

const DEFAULT_COMMAND = ['claude', '-p', '{prompt}', '--output-format', 'stream-json', '--verbose'] as const

/** What the orchestrators share: where agents work, and how their runs are kept. */
export function addAgentSetupOptions(command: Command): Command {
  return addRunSettings(command)
    .option('--project <id>', 'the project (default: NOKOSU_PROJECT, the configuration’s, the repository)')
    .option('--quiet', 'do not show on standard error what the agents say')
}

export const SETUP_HELP = `
The command is run for each agent, with its prompt in place of {prompt}; the default is
  claude -p {prompt} --output-format stream-json --verbose
What the agents say is shown on standard error, the report at the end is on standard output. Ctrl-C stops everything and leaves
the workspace as it was. A store that is down or slow never stops an agent: it only goes without its memory.`

/** From here on signals are for the agents, and the first one stops whatever would come next. */
export async function readAgentSetup(
  words: readonly string[],
  options: AgentSetupOptions,
): Promise<AgentSetup & { config: Config; project: string }> {
  const config = await readConfig(options)
  const { project } = config
  if (project === undefined) throw missingScope({ all: false })
  parseInput(identifiersSchema, { projectId: project }, 'run')
  const setup = {
    ...(await readRunSettings(options, config)),
    config,
    project,
    template: words.length === 0 ? DEFAULT_COMMAND : words,
    tell: options.quiet ? () => {} : say,
    // The same rule as for what they say: nothing of it moves a terminal.
    errors: writeError,
    interrupted: watchForStop(),
  }
  // Nobody to read along is no reason to stop.
  shell().stderr.on('error', () => {})
  return setup
}

/** Waits for the agents, prints the report and ends with its exit code. */
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

/** `3 new, 1 reinforced`: what the memories of a run became. */
export function describeMemories(memories: readonly { kind: string; held: boolean }[], spooled: number): string {
  const names: Record<string, string> = {
    insert: 'new',
    reinforce: 'reinforced',
    contradict: 'corrected',
    duplicate: 'known',
    refuse: 'refused',
  }
  const counts = new Map<string, number>()
  for (const { kind, held } of memories) {
    const name = held ? 'held for review' : (names[kind] ?? kind)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  if (spooled > 0) counts.set('waiting', spooled)
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
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
