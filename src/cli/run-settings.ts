import { join, resolve } from 'node:path'
import type { HookServer } from '../agents/run/live-hooks.ts'
import type { RunSettings } from '../agents/run/run-options.ts'
import { createTrace } from '../agents/run/trace.ts'
import type { Config } from '../config/load-config.ts'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { findPackageRoot } from '../package/package-root.ts'
import { StoreClient, type StoreCommand } from '../remote/client.ts'
import { shownUrl } from '../storage/shown-url.ts'
import type { FlagTable, OptionsOf } from './command.ts'
import { spoolFoldersOf } from './open-engine.ts'
import { paint, writeError } from './output.ts'
import { number, oneOf, text } from './parse-flags.ts'
import { type Output, processShell, type Shell, shell } from './shell.ts'

export const RUN_OPTIONS = {
  '--workspace <folder>': ['where the agent works', text, '.'],
  '--extract <on|off>': ['whether a second call extracts what was learned (default: on)', oneOf(['on', 'off'])],
  '--extract-with <command>':
    'a shell command for the extraction: reads the prompt on standard input, prints a JSON array',
  '--extract-timeout <seconds>': ['time limit of the extraction (default: 15)', number(0)],
  '--store-timeout <seconds>': ['time limit of the store before and after each agent', number(0.001), 2],
  '--trace': 'print each step of each run on standard error',
} as const satisfies FlagTable

type RunFlags = OptionsOf<typeof RUN_OPTIONS>

export async function readRunSettings(options: RunFlags, config: Config): Promise<RunSettings> {
  return {
    workspace: resolve(shell().cwd, options.workspace),
    extraction: extractionOf(options, config),
    remember: config.memory.enabled,
    store: new StoreClient(storeCommand(config, shell())),
    spoolFolders: spoolFoldersOf(config),
    boundMs: options.storeTimeout * 1000,
    capture: {
      suggestions: config.memory.includeHintsFromOutputs,
      maxSummaryLength: config.memory.maxSummaryLength,
      lessons: config.memory.lessons,
    },
    hooks: hookServer(config),
    env: { ...shell().env },
    trace: options.trace ? createTrace(say) : () => {},
    // A command line, a URL or another program's output may contain a secret.
    warn: (problem) => say(`${paint('yellow', 'nokosu: warning', shell().stderr)} ${redactSecrets(problem).text}`),
  }
}

export function say(line: string): void {
  writeError(`${line}\n`)
}

/** Milliseconds for the store process to end once it has done everything. */
export const CLOSE_MS = 500

/** Ends this process, if it is ours: an agent may leave something running that would keep it alive. */
export async function endWith(exitCode: number): Promise<void> {
  const own = shell()
  own.exitCode = exitCode
  if (own !== processShell()) return
  await finishOutput(own.stdout)
  process.exit(exitCode)
}

async function finishOutput(stdout: Output): Promise<void> {
  await new Promise<void>((done) => {
    if (stdout.destroyed || stdout.writableLength === 0) done()
    else stdout.once('error', () => done()).write('', () => done())
  })
}

/** This program, started again as the process that holds the same store, with the same settings and project. */
export function storeCommand(config: Config, { cwd, env }: Pick<Shell, 'cwd' | 'env'>): StoreCommand {
  const { program, args, env: own } = againWith(config, 'store-server')
  const project = config.project === undefined ? {} : { NOKOSU_PROJECT: config.project }
  return { program, args, cwd, env: { ...env, ...own, ...project } }
}

/** This program, started again to ask a model what a session learned; null if that is switched off. */
export function extractCommand(config: Config, { cwd, env }: Pick<Shell, 'cwd' | 'env'>): StoreCommand | null {
  if (!config.extract.enabled || !config.extract.sessions) return null
  const { program, args, env: own } = againWith(config, 'extract')
  return { program, args, cwd, env: { ...env, ...own } }
}

/** This program, started again to answer a run's hooks; null if all moments are switched off. */
function hookServer(config: Config): HookServer | null {
  const isWanted = config.memory.enabled && Object.values(config.recall).some(Boolean)
  return isWanted ? againWith(config, 'mcp', '--for-hooks') : null
}

function againWith({ db, file }: Config, ...words: string[]) {
  const program = join(findPackageRoot()!, 'bin', 'nokosu.mjs')
  // Every user of the machine can read arguments, so passwords are not passed there.
  const isSecret = shownUrl(db) !== db
  const settings = [...(isSecret ? [] : ['--db', db]), ...(file === null ? [] : ['--config', file])]
  const env: Record<string, string> = isSecret ? { NOKOSU_DB: db } : {}
  return { program: process.execPath, args: [program, ...words, ...settings], env }
}

function extractionOf(options: RunFlags, { extract }: Config): RunSettings['extraction'] {
  const { extract: wanted, extractWith, extractTimeout } = options
  if (wanted === 'off' || (wanted === undefined && extractWith === undefined && !extract.enabled)) return null
  return {
    shell: extractWith ?? extract.command,
    timeoutMs: (extractTimeout ?? extract.timeoutSeconds) * 1000,
    maxBudgetUsd: extract.maxBudgetUsd,
  }
}
