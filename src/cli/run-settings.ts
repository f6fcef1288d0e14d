import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { RunOptions } from '../agents/run/run.ts'
import { createTrace } from '../agents/run/trace.ts'
import type { Config } from '../config/load-config.ts'
import { escapeTerminal } from '../guard/escape.ts'
import { MemoryError } from '../model/errors.ts'
import { findPackageRoot } from '../package/package-root.ts'
import { type GlobalOptions, spoolFoldersOf } from './open-engine.ts'
import { paint } from './output.ts'
import { parseNumber } from './parse-flags.ts'

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
  'workspace' | 'extraction' | 'remember' | 'keeper' | 'spoolFolders' | 'boundMs' | 'capture' | 'env' | 'trace' | 'warn'
>

export function addRunSettings(command: Command): Command {
  return command
    .option('--workspace <folder>', 'where the agent works', '.')
    .option('--extract <on|off>', 'whether a second call names what was learned (default: on)')
    .option('--extract-with <command>', 'a shell command for that: the prompt on standard input, a JSON array out')
    .option('--extract-timeout <seconds>', 'at most this long (default: 20)', parseNumber)
    .option('--store-timeout <seconds>', 'what the store may cost before and after each agent', parseNumber, 2)
    .option('--trace', 'tell each step of each run on standard error')
}

/** What all runs have in common, from flags and configuration. */
export async function readRunSettings(options: RunSettingsOptions, config: Config): Promise<RunSettings> {
  if (!(options.storeTimeout > 0)) throw invalid('storeTimeout', 'it must be more than 0')
  return {
    workspace: resolve(options.workspace),
    extraction: extractionOf(options, config),
    remember: config.memory.enabled,
    keeper: ownProgram(options, config, ['store-keeper']),
    spoolFolders: await spoolFoldersOf(config),
    boundMs: options.storeTimeout * 1000,
    capture: { suggestions: config.memory.includeHintsFromOutputs, maxSummaryLength: config.memory.maxSummaryLength },
    env: process.env,
    trace: options.trace ? createTrace(say) : () => {},
    warn: (text) => say(`${paint('yellow', 'nokosu: warning', process.stderr)} ${text}`),
  }
}

/** A line for whoever watches. */
export function say(line: string): void {
  process.stderr.write(`${escapeTerminal(line)}\n`)
}

/** This program again, with the same store and settings, in a process of its own. */
export function ownProgram({ config }: GlobalOptions, { db }: Config, args: readonly string[]): RunOptions['keeper'] {
  const file = config === undefined ? [] : ['--config', config]
  return { module: join(findPackageRoot()!, 'bin', 'nokosu.mjs'), args: [...args, '--db', db, ...file] }
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
