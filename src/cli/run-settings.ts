import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { RunOptions } from '../agents/run/run-agent.ts'
import { createTrace } from '../agents/run/trace.ts'
import type { Config } from '../config/load-config.ts'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { MemoryError } from '../model/errors.ts'
import { findPackageRoot } from '../package/package-root.ts'
import { StoreClient, type StoreCommand } from '../remote/client.ts'
import { shownUrl } from '../storage/shown-url.ts'
import { type GlobalOptions, spoolFoldersOf } from './open-engine.ts'
import { paint, writeError } from './output.ts'
import { parseNumber } from './parse-flags.ts'
import { type Output, processShell, type Shell, shell } from './shell.ts'

/** The flags of everything that runs agents. */
export interface RunSettingsOptions extends GlobalOptions {
  workspace: string
  extract?: string
  extractWith?: string
  extractTimeout?: number
  storeTimeout: number
  trace?: boolean
}

type RunSettings = Pick<
  RunOptions,
  'workspace' | 'extraction' | 'remember' | 'store' | 'spoolFolders' | 'boundMs' | 'capture' | 'env' | 'trace' | 'warn'
>

export function addRunSettings(command: Command): Command {
  return command
    .option('--workspace <folder>', 'where the agent works', '.')
    .option('--extract <on|off>', 'whether a second call names what was learned (default: on)')
    .option('--extract-with <command>', 'a shell command for that: the prompt on standard input, a JSON array out')
    .option('--extract-timeout <seconds>', 'at most this long, after the agent has ended (default: 5)', parseNumber)
    .option('--store-timeout <seconds>', 'what the store may cost before and after each agent', parseNumber, 2)
    .option('--trace', 'tell each step of each run on standard error')
}

/** What all runs have in common, from flags and configuration. */
export async function readRunSettings(options: RunSettingsOptions, config: Config): Promise<RunSettings> {
  if (!(options.storeTimeout > 0)) throw invalid('storeTimeout', 'it must be more than 0')
  return {
    workspace: resolve(shell().cwd, options.workspace),
    extraction: extractionOf(options, config),
    remember: config.memory.enabled,
    store: new StoreClient(storeCommand(config, shell())),
    spoolFolders: await spoolFoldersOf(config),
    boundMs: options.storeTimeout * 1000,
    capture: { suggestions: config.memory.includeHintsFromOutputs, maxSummaryLength: config.memory.maxSummaryLength },
    env: { ...shell().env },
    trace: options.trace ? createTrace(say) : () => {},
    // What a command line, an address or another program says may hold a secret.
    warn: (text) => say(`${paint('yellow', 'nokosu: warning', shell().stderr)} ${redactSecrets(text).text}`),
  }
}

/** A line for whoever watches. */
export function say(line: string): void {
  writeError(`${line}\n`)
}

/** Milliseconds that a process which holds the store, and has done everything, may take to end. */
export const CLOSE_MS = 500

/** Ends this process, where it is ours: an agent may leave something running that would hold it. */
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

/** This program again as the process that holds the same store, with the same settings and for the same project. */
export function storeCommand({ db, file, project }: Config, { cwd, env }: Pick<Shell, 'cwd' | 'env'>): StoreCommand {
  const program = join(findPackageRoot()!, 'bin', 'nokosu.mjs')
  // Every user of the machine may read arguments: a password is not among them.
  const isSecret = shownUrl(db) !== db
  const settings = [...(isSecret ? [] : ['--db', db]), ...(file === null ? [] : ['--config', file])]
  const own = {
    ...env,
    ...(isSecret ? { NOKOSU_DB: db } : {}),
    ...(project === undefined ? {} : { NOKOSU_PROJECT: project }),
  }
  return { program: process.execPath, args: [program, 'store-server', ...settings], cwd, env: own }
}

function extractionOf(options: RunSettingsOptions, { extract }: Config): RunOptions['extraction'] {
  const { extract: wanted, extractWith, extractTimeout } = options
  if (wanted !== undefined && wanted !== 'on' && wanted !== 'off') throw invalid('extract', 'use on or off')
  if (wanted === 'off' || (wanted === undefined && extractWith === undefined && !extract.enabled)) return null
  return {
    shell: extractWith ?? extract.command,
    timeoutMs: (extractTimeout ?? extract.timeoutSeconds) * 1000,
    maxBudgetUsd: extract.maxBudgetUsd,
  }
}

export function invalid(field: string, problem: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `Invalid ${field}: ${problem}.`, { details: { field } })
}
