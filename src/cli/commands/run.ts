import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type RunOptions, runAgent } from '../../agents/run.ts'
import { isClaude } from '../../agents/run-output.ts'
import { createTrace } from '../../agents/run-trace.ts'
import type { Config } from '../../config/load-config.ts'
import { escapeTerminal } from '../../guard/escape.ts'
import { MemoryError } from '../../model/errors.ts'
import { LAYERS, type Layer } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import { parseInput } from '../../model/parse.ts'
import { identifiersSchema } from '../../model/schema.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import { addIdentifierOptions, type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { leaveSignalsAlone } from '../interruption.ts'
import { type GlobalOptions, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { paint } from '../output.ts'
import { parseNumber, parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions, IdentifierOptions {
  role?: string
  instructions?: string
  tier?: number
  layer?: Layer
  workspace: string
  repo?: string
  branch?: string
  push?: boolean
  extract?: string
  extractWith?: string
  extractTimeout?: number
  storeTimeout: number
  trace?: boolean
}

/** `nokosu run` */
export function configure(command: Command): void {
  addIdentifierOptions(command.argument('<command...>', "the agent's command line, after --"))
    .option(
      '--role <role>',
      'architect, coder, reviewer, tester, or a word of your own (default: the agent’s usual one)',
    )
    .option('--instructions <file>', 'the role’s instructions, in place of the built-in ones')
    .option('--tier <number>', 'the tier of the run: 1, 2 or 3', parseWhole)
    .option('--layer <layer>', 'where memories go (default: the agent’s with --agent, else the project’s)')
    .option('--workspace <folder>', 'where the agent works', '.')
    .option('--repo <url>', 'clone this repository into the workspace first')
    .option('--branch <name>', 'the branch to work on, and to push')
    .option('--push', 'push the agent’s commits at the end')
    .option('--extract <on|off>', 'whether a second call names what was learned (default: on)')
    .option('--extract-with <command>', 'a shell command for that: the prompt on standard input, a JSON array out')
    .option('--extract-timeout <seconds>', 'at most this long (default: 20)', parseNumber)
    .option('--store-timeout <seconds>', 'what the store may cost before the agent starts, and after', parseNumber, 2)
    .option('--trace', 'tell each step on standard error')
    .addHelpText(
      'after',
      `
Gives the agent its role, personality and memories, runs it, and remembers what it says with [MEMORY:...] markers as it says
it. Standard input, output and error are the agent's own, and so is the exit code (128 + n for signal n; 127 when there is no
such command). A failed push after an agent that succeeded is exit code 8. A store that is down, slow, full or locked never
stops the agent: what it cannot take waits in .nokosu/spool, and the next run or write delivers it. With --json the report is
the last line on standard error.

Examples:
  nokosu run --agent nori --project shop -- claude -p "fix the login redirect" --output-format stream-json --verbose
  nokosu run --agent miso --project shop --repo https://host/shop.git --branch feature/login --push --workspace /work \\
    -- claude -p "design the login page"
  nokosu run --project home --tier 1 --trace -- ./check-services.sh`,
    )
    .action(run)
}

async function run(words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const config = await readConfig(options)
  const request = await toRunOptions(words, options, config)
  leaveSignalsAlone()
  // An output that nobody reads any more is the agent's to deal with; nobody to read warnings is no reason to stop.
  process.stdout.removeAllListeners('error')
  process.stderr.on('error', () => {})
  const report = await runAgent(request)
  if (options.json) process.stderr.write(`${JSON.stringify(report)}\n`)
  await finishOutput()
  // What an agent leaves running, and a store that hangs, must not hold this process.
  process.exit(report.exitCode)
}

async function toRunOptions(words: string[], options: Options, config: Config): Promise<RunOptions> {
  const identifiers = readIdentifiers(options)
  parseInput(identifiersSchema, identifiers, 'run')
  const { role, tier, layer, session, repo, branch, push, trace, instructions } = options
  if (tier !== undefined && ![1, 2, 3].includes(tier)) throw invalid('tier', 'use 1, 2 or 3')
  if (layer !== undefined && !LAYERS.includes(layer)) throw invalid('layer', `use one of ${LAYERS.join(', ')}`)
  if (!(options.storeTimeout > 0)) throw invalid('storeTimeout', 'it must be more than 0')
  const say = (line: string) => process.stderr.write(`${escapeTerminal(line)}\n`)
  return {
    command: words,
    identifiers,
    role,
    instructions: instructions === undefined ? undefined : await readFile(instructions, 'utf8'),
    tier: tier as Tier | undefined,
    layer,
    session,
    workspace: resolve(options.workspace),
    repo,
    branch,
    push,
    extraction: extractionOf(options, config),
    remember: config.memory.enabled,
    keeper: keeperCommand(options, config),
    spoolFolders: await spoolFoldersOf(config),
    boundMs: options.storeTimeout * 1000,
    capture: { suggestions: config.memory.includeHintsFromOutputs, maxSummaryLength: config.memory.maxSummaryLength },
    interactive: isInteractive(words),
    output: process.stdout,
    env: process.env,
    trace: trace ? createTrace(say) : () => {},
    warn: (text) => say(`${paint('yellow', 'nokosu: warning', process.stderr)} ${text}`),
  }
}

function extractionOf(options: Options, { extract }: Config): RunOptions['extraction'] {
  const { extract: wanted, extractWith, extractTimeout } = options
  if (wanted !== undefined && wanted !== 'on' && wanted !== 'off') throw invalid('extract', 'use on or off')
  if (wanted === 'off' || (wanted === undefined && extractWith === undefined && !extract.enabled)) return null
  return {
    shell: extractWith ?? extract.command,
    timeoutMs: (extractTimeout ?? extract.timeoutSeconds) * 1000,
    maxBudgetUsd: extract.maxBudgetUsd,
  }
}

/** The same settings in a process of its own. */
function keeperCommand(options: Options, { db }: Config): RunOptions['keeper'] {
  const config = options.config === undefined ? [] : ['--config', options.config]
  return { module: join(findPackageRoot()!, 'bin', 'nokosu.mjs'), args: ['store-keeper', '--db', db, ...config] }
}

/** Claude Code at a terminal draws on it, which a pipe would spoil. */
function isInteractive(words: readonly string[]): boolean {
  const atTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  return atTerminal && isClaude(words) && !words.includes('-p') && !words.includes('--print')
}

function invalid(field: string, problem: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `Invalid ${field}: ${problem}.`, { details: { field } })
}

async function finishOutput(): Promise<void> {
  await new Promise<void>((done) => {
    if (process.stdout.destroyed || process.stdout.writableLength === 0) done()
    else process.stdout.once('error', () => done()).write('', () => done())
  })
}
