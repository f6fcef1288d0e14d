import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type HookInput, readHookInput } from '../../capture/hook-input.ts'
import { type Hook, hookFolder, hookIdentifiers, hookSession } from '../../claude-code/hook.ts'
import { findRepository } from '../../config/repository.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import { defineCommand } from '../command.ts'
import { quote } from '../command-line.ts'
import { readInput } from '../input.ts'
import { type GlobalOptions, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { flush, write, writeError } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { extractCommand, storeCommand } from '../run-settings.ts'
import { inShell, shell } from '../shell.ts'

/** Milliseconds that a hook may take in all. */
const BOUNDS = { 'session-start': 2000, stop: 2000, 'session-end': 1200 } as const
/** Reserved for handing the end of a session to another process. */
const LEAVING = 200
/** Seconds for the process that finishes a session: Claude Code cancels the SessionEnd hook itself after about 1.5 s. */
const AFTER_THE_END = 15
type Event = keyof typeof BOUNDS
type Time = Pick<Hook, 'boundMs' | 'left'>
/** Longer than any model's answer, which the input of Stop contains. */
const MOST_BYTES = 16 << 20

/** The client, because hook input and output differ between clients. */
const CLIENTS = ['claude-code', 'codex', 'gemini', 'cursor', 'windsurf'] as const
type Client = (typeof CLIENTS)[number]

export const { configure } = defineCommand({
  arguments: [['<event>', 'session-start, stop or session-end, with the hook’s input on standard input']],
  options: { '--client <name>': ['the agent whose hook this is', oneOf(CLIENTS), 'claude-code'] },
  help: `
For the hooks of agents, not for people. A hook always exits with 0, within its time limit in seconds, which
NOKOSU_HOOK_TIMEOUT overrides. A background process finishes what session-end has not done by then, within ${AFTER_THE_END} s:
${Object.entries(BOUNDS)
  .map(([event, ms]) => `  ${event.padEnd(14)} ${ms / 1000} s`)
  .join('\n')}

  project        prints the --project option for this folder, quoted for a shell`,
  run,
})

type Options = GlobalOptions & { client: Client }

async function run(options: Options, event: string): Promise<void> {
  if (event === 'project') return printProject(options)
  // A later plugin may know more events than this program: not an error.
  if (!Object.hasOwn(BOUNDS, event)) return warn(`this version does not know the hook '${event}'.`)
  // The starting process may exit before it has written everything.
  shell().stderr.on('error', () => {})
  const boundMs = Number(shell().env.NOKOSU_HOOK_TIMEOUT) * 1000 || BOUNDS[event as Event]
  const left = () => Math.max(0, Math.floor(boundMs - process.uptime() * 1000))
  const hook = new Told(options.client)
  const leave = async (problem?: string) => {
    try {
      if (problem !== undefined) hook.warn(problem)
      if (event === 'session-start') await hook.answer()
      await flush()
    } finally {
      // Does not wait for anything still pending, such as an input that is never closed.
      process.exit(0)
    }
  }
  const watchdog = setTimeout(() => void leave('the hook took too long and was abandoned.'), left())
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => void leave(messageOf(error)))
  const problem = await runHook(event as Event, options, { boundMs, left }, hook).then(() => undefined, messageOf)
  clearTimeout(watchdog)
  await leave(problem)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

class Told {
  readonly #problems: string[] = []
  #context: string | null = null
  /** A compaction is not a new session: the user was already told. */
  isNew = true
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** For Claude Code's log, which few people read. */
  readonly warn = (text: string): void => {
    this.#problems.push(text.replace(/\s+/g, ' ').trim())
    warn(text)
  }

  take(context: string): void {
    this.#context = context
  }

  async answer(): Promise<void> {
    const context = this.#context
    if (this.#client === 'cursor') {
      if (context !== null) await write(`${JSON.stringify({ additional_context: context })}\n`)
      return
    }
    const systemMessage =
      this.#problems.length > 0 && this.isNew ? { systemMessage: `nokosu: ${this.#problems.join(' ')}` } : {}
    const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: context }
    const answer = { ...systemMessage, ...(context === null ? {} : { hookSpecificOutput }) }
    if (Object.keys(answer).length > 0) await write(`${JSON.stringify(answer)}\n`)
  }
}

/** Empty if the project is unknown: the command then asks for one. */
async function printProject(options: GlobalOptions): Promise<void> {
  const { project } = await readConfig(options)
  await write(project === undefined ? '\n' : `--project ${quote(project)}\n`)
}

async function runHook(event: Event, options: Options, time: Time, told: Told): Promise<void> {
  const text = await readInput('-', MOST_BYTES)
  const given = readHookInput(text)
  if ('reason' in given) return told.warn(given.reason)
  if (event === 'session-end' && !shell().env.NOKOSU_HOOK_TIMEOUT) return handOver(text, time)
  // Nokosu reads Claude Code's transcripts; for other clients it stores each answer as it comes.
  const input = options.client === 'claude-code' ? given : { ...given, transcriptPath: null }
  told.isNew = input.source !== 'compact'
  const { env } = shell()
  const cwd = hookFolder(input, env)
  // From here on everything happens in the session's folder.
  await inShell({ ...shell(), cwd }, () => runIn(cwd, event, input, options, time, told))
}

/** Runs the same hook in a process that outlives this one, and passes on its output while this one may still wait. */
async function handOver(input: string, { left }: Time): Promise<void> {
  const { cwd, env, words } = shell()
  const child = spawn(process.execPath, [join(findPackageRoot()!, 'bin', 'nokosu.mjs'), ...words], {
    cwd,
    env: { ...env, NOKOSU_HOOK_TIMEOUT: String(AFTER_THE_END) },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  })
  child.stderr.setEncoding('utf8').on('data', writeError)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  // Rejects if the process cannot be started.
  await Promise.race([once(child, 'close'), wait(Math.max(0, left() - LEAVING))])
}

async function runIn(
  folder: string,
  event: Event,
  input: HookInput,
  options: GlobalOptions,
  time: Time,
  told: Told,
): Promise<void> {
  const { env } = shell()
  const session = hookSession(input, env)
  // The extraction call is itself a session, and must not be learned from.
  if (env.NOKOSU_EXTRACTION) return
  // The run shows memories and captures answers itself.
  if (session.inRun && event !== 'session-end') return
  const config = await readConfig(options)
  const identifiers = hookIdentifiers(config, env)
  if (!config.memory.enabled || identifiers === null) return
  const hook: Hook = {
    ...session,
    identifiers,
    input,
    atEnd: event === 'session-end',
    config,
    branch: findRepository(folder)?.branch ?? null,
    store: storeCommand(config, { cwd: folder, env }),
    extract: extractCommand(config, { cwd: folder, env }),
    spoolFolders: spoolFoldersOf(config),
    ...time,
    warn: told.warn,
  }
  if (event === 'session-start') {
    const { startSession } = await import('../../claude-code/start-session.ts')
    return told.take(await startSession(hook))
  }
  const { keepSession } = await import('../../claude-code/keep-session.ts')
  return keepSession(hook)
}

/** One line, so that it is not taken for several messages. */
function warn(text: string): void {
  writeError(`nokosu: ${text.replace(/\s+/g, ' ').trim()}\n`)
}
