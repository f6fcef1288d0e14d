import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { claudeProgram } from '../../agents/run/find-claude.ts'
import { type RunOptions, runAgent } from '../../agents/run/run-agent.ts'
import { assertInstructionFile } from '../../agents/workspace/target.ts'
import { keptName } from '../../config/known-projects.ts'
import type { Config } from '../../config/load-config.ts'
import { storeFile } from '../../config/prepare-store.ts'
import { nameOfRemote } from '../../config/remote-name.ts'
import { identifiersSchema } from '../../model/fields.ts'
import { LAYERS, type Layer } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import { parseInput } from '../../model/parse.ts'
import { addIdentifierOptions, type IdentifierOptions, readOwner } from '../identifiers.ts'
import { leaveSignalsAlone } from '../interruption.ts'
import { readConfig } from '../open-engine.ts'
import { toJson, writeJsonError } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import {
  addRunSettings,
  CLOSE_MS,
  endWith,
  invalid,
  type RunSettingsOptions,
  readRunSettings,
} from '../run-settings.ts'
import { tellSummary } from '../run-summary.ts'
import { shell } from '../shell.ts'

interface Options extends RunSettingsOptions, IdentifierOptions {
  role?: string
  instructions?: string
  tier?: number
  layer?: Layer
  repo?: string
  branch?: string
  push?: boolean
  inject?: string
  quiet?: boolean
}

/** `nokosu run` */
export function configure(command: Command): void {
  addRunSettings(addIdentifierOptions(command.argument('<command...>', "the agent's command line, after --")))
    .option(
      '--role <role>',
      'architect, coder, reviewer, tester, or a word of your own (default: the agent’s usual one)',
    )
    .option('--instructions <file>', 'the role’s instructions, in place of the built-in ones')
    .option('--tier <number>', 'the tier of the run: 1, 2 or 3', parseWhole)
    .option('--layer <layer>', 'where memories go (default: the agent’s with --agent, else the project’s)')
    .option('--repo <url>', 'clone this repository into the workspace first')
    .option('--branch <name>', 'the branch to work on, and to push')
    .option('--push', 'push the agent’s commits at the end')
    .option('--inject <files>', 'write into the workspace: files, or files=NAME for another than CLAUDE.md')
    .option('--quiet', 'do not tell at the end what was shown and what became of what the agent left')
    .addHelpText(
      'after',
      `
Gives the agent its role, personality and memories, runs it, and remembers what it says with [MEMORY:...] markers as it says
it. Claude Code, also behind timeout, env, nice, npx or sh -c, finds them at the end of its system prompt; any other command in
NOKOSU_CONTEXT and in the file that NOKOSU_CONTEXT_FILE names. Nothing is written into the workspace, unless --repo has cloned
it or --inject files asks for CLAUDE.md and .claude/memory/MEMORY.md there; they get into no commit, and are gone afterwards.

Standard input, output and error are the agent's own, and so is the exit code (128 + n for signal n; 127 when there is no
such command). A failed push after an agent that succeeded is exit code 8. A store that is down, slow, full or locked never
stops the agent: what it cannot take waits in .nokosu/spool, and the next run or write delivers it. At the end a few lines on
standard error tell what was shown or only offered, remembered, reinforced, corrected, held or refused; --json has it all.

Examples:
  nokosu run --agent nori --project shop -- claude -p "fix the login redirect" --output-format stream-json --verbose
  nokosu run --agent miso --project shop --repo https://host/shop.git --branch feature/login --push --workspace /work \\
    -- claude -p "design the login page"
  nokosu run --agent nori --project shop --inject files=AGENTS.md -- codex exec "fix the login redirect"
  nokosu run --project home --tier 1 --trace -- ./check-services.sh`,
    )
    .action(run)
}

async function run(words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const config = await readConfig(options)
  const request = await toRunOptions(words, options, config)
  leaveSignalsAlone()
  const { stdout, stderr } = shell()
  // An output that nobody reads any more is the agent's to deal with; nobody to read warnings is no reason to stop.
  stdout.removeAllListeners('error')
  stderr.on('error', () => {})
  const report = await runAgent(request).finally(() => request.store.close(CLOSE_MS))
  if (options.json) writeJsonError(`${toJson(report)}\n`)
  else if (!options.quiet) tellSummary(report)
  await endWith(report.exitCode)
}

async function toRunOptions(words: string[], options: Options, config: Config): Promise<RunOptions> {
  // What is cloned is worked on, where nothing else says which project it is.
  const cloned = options.repo === undefined ? null : nameOfRemote(options.repo, shell().cwd)
  const project = config.project ?? (cloned && keptName(storeFile(config.db), cloned.name, cloned.former))
  const identifiers = readOwner(options, project ? { project } : {})
  parseInput(identifiersSchema, identifiers, 'run')
  const { role, tier, layer, session, repo, branch, push, instructions } = options
  if (tier !== undefined && ![1, 2, 3].includes(tier)) throw invalid('tier', 'use 1, 2 or 3')
  if (layer !== undefined && !LAYERS.includes(layer)) throw invalid('layer', `use one of ${LAYERS.join(', ')}`)
  return {
    command: words,
    identifiers,
    role,
    instructions: instructions === undefined ? undefined : await readFile(resolve(shell().cwd, instructions), 'utf8'),
    tier: tier as Tier | undefined,
    layer,
    session,
    repo,
    branch,
    push,
    inject: fileOf(options.inject),
    ...(await readRunSettings(options, config)),
    interactive: isInteractive(words),
    output: shell().stdout,
  }
}

/** The name of the file that `--inject` asks for. */
function fileOf(inject: string | undefined): string | undefined {
  if (inject === undefined) return undefined
  const [how, file = 'CLAUDE.md'] = inject.split(/=(.*)/s)
  if (how !== 'files' || file === '') throw invalid('inject', 'use files, or files=NAME')
  assertInstructionFile(file)
  return file
}

/** Claude Code at a terminal draws on it, which a pipe would spoil. */
function isInteractive(words: readonly string[]): boolean {
  const { stdin, stdout } = shell()
  const atTerminal = stdin.isTTY === true && stdout.isTTY === true
  return atTerminal && claudeProgram(words) !== null && !words.includes('-p') && !words.includes('--print')
}
