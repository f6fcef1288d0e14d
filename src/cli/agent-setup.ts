import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentSetup } from '../agents/ask-agent.ts'
import { createTrace } from '../agents/run-trace.ts'
import type { Config } from '../config/load-config.ts'
import { escapeTerminal } from '../guard/escape.ts'
import { MemoryError } from '../model/errors.ts'
import { parseInput } from '../model/parse.ts'
import { identifiersSchema } from '../model/schema.ts'
import { findPackageRoot } from '../package/package-root.ts'
import { leaveSignalsAlone } from './interruption.ts'
import { type GlobalOptions, readConfig, spoolFoldersOf } from './open-engine.ts'
import { paint, toJson } from './output.ts'
import { parseNumber } from './parse-flags.ts'

export interface AgentSetupOptions extends GlobalOptions {
  project: string
  workspace: string
  extract?: string
  extractWith?: string
  extractTimeout?: number
  storeTimeout: number
  quiet?: boolean
  trace?: boolean
}

const DEFAULT_COMMAND = ['claude', '-p', '{prompt}', '--output-format', 'stream-json', '--verbose'] as const

/** What the orchestrators share: where agents work, and how their runs are kept. */
export function addAgentSetupOptions(command: Command): Command {
  return command
    .requiredOption('--project <id>', 'the project')
    .option('--workspace <folder>', 'where the agents work', '.')
    .option('--extract <on|off>', 'whether a second call names what was learned (default: on)')
    .option('--extract-with <command>', 'a shell command for that: the prompt on standard input, a JSON array out')
    .option('--extract-timeout <seconds>', 'at most this long (default: 20)', parseNumber)
    .option('--store-timeout <seconds>', 'what the store may cost before and after each agent', parseNumber, 2)
    .option('--quiet', 'do not show on standard error what the agents say')
    .option('--trace', 'tell each step of each run on standard error')
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
): Promise<AgentSetup & { config: Config }> {
  const config = await readConfig(options)
  parseInput(identifiersSchema, { projectId: options.project }, 'run')
  if (!(options.storeTimeout > 0)) throw invalid('storeTimeout', 'it must be more than 0')
  const say = (line: string) => process.stderr.write(`${escapeTerminal(line)}\n`)
  const setup = {
    config,
    template: words.length === 0 ? DEFAULT_COMMAND : words,
    workspace: resolve(options.workspace),
    extraction: extractionOf(options, config),
    remember: config.memory.enabled,
    keeper: ownProgram(options, config, ['store-keeper']),
    spoolFolders: await spoolFoldersOf(config),
    boundMs: options.storeTimeout * 1000,
    capture: { suggestions: config.memory.includeHintsFromOutputs, maxSummaryLength: config.memory.maxSummaryLength },
    env: process.env,
    trace: options.trace ? createTrace(say) : () => {},
    warn: (text: string) => void say(`${paint('yellow', 'nokosu: warning', process.stderr)} ${text}`),
    tell: options.quiet ? () => {} : (line: string) => void say(line),
    interrupted: watchForStop(),
  }
  // Nobody to read along is no reason to stop.
  process.stderr.on('error', () => {})
  return setup
}

/** This program again, with the same store and settings, in a process of its own. */
export function ownProgram({ config }: GlobalOptions, { db }: Config, args: readonly string[]): AgentSetup['keeper'] {
  const file = config === undefined ? [] : ['--config', config]
  return { module: join(findPackageRoot()!, 'bin', 'nokosu.mjs'), args: [...args, '--db', db, ...file] }
}

/** Prints the report and ends with its exit code: what an agent leaves running must not hold this process. */
export async function finishWith<Report extends { exitCode: number }>(
  report: Report,
  { json }: GlobalOptions,
  format: (report: Report) => string,
): Promise<never> {
  const text = json ? `${toJson(report)}\n` : format(report)
  await new Promise((done) => process.stdout.write(text, done))
  process.exit(report.exitCode)
}

/** `3 new, 1 reinforced`: what the memories of a run became. */
export function describeMemories(memories: readonly { kind: string }[], spooled: number): string {
  const names: Record<string, string> = {
    insert: 'new',
    reinforce: 'reinforced',
    contradict: 'corrected',
    duplicate: 'known',
    refuse: 'refused',
  }
  const counts = new Map<string, number>()
  for (const { kind } of memories) counts.set(names[kind] ?? kind, (counts.get(names[kind] ?? kind) ?? 0) + 1)
  if (spooled > 0) counts.set('waiting', spooled)
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}

function extractionOf(options: AgentSetupOptions, { extract }: Config): AgentSetup['extraction'] {
  const { extract: wanted, extractWith, extractTimeout } = options
  if (wanted !== undefined && wanted !== 'on' && wanted !== 'off') throw invalid('extract', 'use on or off')
  if (wanted === 'off' || (wanted === undefined && extractWith === undefined && !extract.enabled)) return null
  return {
    shell: extractWith ?? extract.command,
    timeoutMs: (extractTimeout ?? extract.timeoutSeconds) * 1000,
    maxBudgetUsd: extract.maxBudgetUsd,
  }
}

const STOP_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

function watchForStop(): () => number | null {
  leaveSignalsAlone()
  let code: number | null = null
  for (const signal of Object.keys(STOP_CODES) as (keyof typeof STOP_CODES)[]) {
    process.on(signal, () => {
      code ??= STOP_CODES[signal]
    })
  }
  return () => code
}

export function invalid(field: string, problem: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `Invalid ${field}: ${problem}.`, { details: { field } })
}
