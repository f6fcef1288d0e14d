import { claudeProgram } from '../../agents/run/find-claude.ts'
import { runAgent } from '../../agents/run/run-agent.ts'
import type { RunOptions } from '../../agents/run/run-options.ts'
import { assertInstructionFile } from '../../agents/workspace/target.ts'
import { keptName } from '../../config/known-projects.ts'
import type { Config } from '../../config/load-config.ts'
import { storeFile } from '../../config/prepare-store.ts'
import { nameOfRemote } from '../../config/remote-name.ts'
import { identifiersSchema } from '../../model/fields.ts'
import { LAYERS } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import { parseInput } from '../../model/parse.ts'
import { whyLostWithContainer } from '../check-spool.ts'
import { defineCommand, type FlagTable, type OptionsOf } from '../command.ts'
import { type IdentifierOptions, readOwner } from '../identifiers.ts'
import { readInput } from '../input.ts'
import { leaveSignalsAlone } from '../interruption.ts'
import { LANDING_OPTIONS, landingOf } from '../landing-options.ts'
import { settleProject } from '../open-engine.ts'
import { toJson, writeJsonError } from '../output.ts'
import { invalid, whole } from '../parse-flags.ts'
import { CLOSE_MS, endWith, RUN_OPTIONS, readRunSettings } from '../run-settings.ts'
import { tellSummary } from '../run-summary.ts'
import { shell } from '../shell.ts'

const OPTIONS = {
  ...RUN_OPTIONS,
  '--role <role>': 'architect, coder, reviewer, tester, or any other name (default: the agent’s usual one)',
  '--instructions <file>': 'the role’s instructions, instead of the built-in ones',
  '--tier <number>': ['the tier of the run: 1, 2 or 3', whole(1, 3)],
  ...LANDING_OPTIONS,
  '--repo <url>': 'clone this repository into the workspace first',
  '--branch <name>': 'the branch to work on, and to push',
  '--push': 'push the agent’s commits at the end',
  '--inject <files>': 'write to the workspace: files, or files=NAME for a name other than CLAUDE.md',
  '--quiet': 'do not print the summary at the end',
} as const satisfies FlagTable

export const { configure } = defineCommand({
  arguments: [['<command...>', "the agent's command line, after --"]],
  identifiers: LAYERS,
  options: OPTIONS,
  help: `
Gives the agent its role, personality and memories, runs it, and stores its [MEMORY:...] lines as it writes them. Claude
Code, even behind timeout, env, nice, npx or sh -c, gets them at the end of its system prompt; any other command in NOKOSU_CONTEXT
and in the file that NOKOSU_CONTEXT_FILE names. Nothing is written to the workspace, unless --repo clones it or --inject files
writes CLAUDE.md and .claude/memory/MEMORY.md there; they stay out of commits and are removed afterwards.

Standard input, output and error are the agent's own, and so is the exit code (128 + n for signal n; 127 when there is no
such command). A failed push after an agent that succeeded is exit code 8. A store that is down, slow, full or locked never
stops the agent: what it does not accept is kept in .nokosu/spool, and the next run or write delivers it. At the end a few lines
on standard error say what was shown or only offered, remembered, reinforced, corrected, held or refused; --json has it all.

Examples:
  nokosu run --agent nori --project shop -- claude -p "fix the login redirect" --output-format stream-json --verbose
  nokosu run --agent miso --project shop --repo https://host/shop.git --branch feature/login --push --workspace /work \\
    -- claude -p "design the login page"
  nokosu run --agent nori --project shop --inject files=AGENTS.md -- codex exec "fix the login redirect"
  nokosu run --project home --tier 1 --trace -- ./check-services.sh`,
  async run(options, words) {
    const request = await settleProject(options, (config) => toRunOptions(words, options, config))
    leaveSignalsAlone()
    const { stdout, stderr } = shell()
    // A closed output is the agent's concern; a closed error output is no reason to stop.
    stdout.removeAllListeners('error')
    stderr.on('error', () => {})
    const report = await runAgent(request).finally(() => request.store.close(CLOSE_MS))
    const lost = report.spooled > 0 ? whyLostWithContainer(request.spoolFolders) : null
    if (lost !== null) request.warn(`${lost}. Set NOKOSU_STATE to a folder of a volume.`)
    if (options.json) writeJsonError(`${toJson(report)}\n`)
    else if (!options.quiet) tellSummary(report)
    await endWith(report.exitCode)
  },
})

type Options = IdentifierOptions & OptionsOf<typeof OPTIONS>

async function toRunOptions(words: string[], options: Options, config: Config): Promise<RunOptions> {
  // The cloned repository is the project, unless something else names it.
  const cloned = options.repo === undefined ? null : nameOfRemote(options.repo, shell().cwd)
  const project = config.project ?? (cloned && keptName(storeFile(config.db), cloned.name, cloned.former))
  const identifiers = readOwner(options, project ? { project } : {})
  parseInput(identifiersSchema, identifiers, 'run')
  const { role, session, repo, branch, push, instructions } = options
  return {
    ...{ command: words, identifiers, role, layer: landingOf(options), session, repo, branch, push },
    instructions: instructions === undefined ? undefined : await readInput(instructions),
    tier: options.tier as Tier | undefined,
    inject: fileOf(options.inject),
    ...(await readRunSettings(options, config)),
    interactive: isInteractive(words),
    output: shell().stdout,
  }
}

function fileOf(inject: string | undefined): string | undefined {
  if (inject === undefined) return undefined
  const [how, file = 'CLAUDE.md'] = inject.split(/=(.*)/s)
  if (how !== 'files' || file === '') throw invalid('inject', 'use files, or files=NAME')
  assertInstructionFile(file)
  return file
}

/** Claude Code draws on the terminal, which a pipe would break. */
function isInteractive(words: readonly string[]): boolean {
  const { stdin, stdout } = shell()
  const atTerminal = stdin.isTTY === true && stdout.isTTY === true
  return atTerminal && claudeProgram(words) !== null && !words.includes('-p') && !words.includes('--print')
}
