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

/** Milliseconds that a hook may take, from the start of its process to its end. */
const BOUNDS = { 'session-start': 2000, stop: 2000, 'session-end': 1200 } as const
/** Of it, kept for leaving when the end of a session is left to another process. */
const LEAVING = 200
/** Seconds for what SessionEnd leaves to a process of its own: Claude Code cancels the hook itself after about 1.5 s. */
const AFTER_THE_END = 15
type Event = keyof typeof BOUNDS
type Time = Pick<Hook, 'boundMs' | 'left'>
/** More than the longest answer of a model, which the input of Stop holds. */
const MOST_BYTES = 16 << 20

/** Whose hooks: they differ in what they tell a hook, and in how they take its answer. */
const CLIENTS = ['claude-code', 'codex', 'gemini', 'cursor', 'windsurf'] as const
type Client = (typeof CLIENTS)[number]

export const { configure } = defineCommand({
  arguments: [['<event>', 'session-start, stop or session-end, with the hook’s input on standard input']],
  options: { '--client <name>': ['the agent whose hook this is', oneOf(CLIENTS), 'claude-code'] },
  help: `
For the hooks of agents, not for people. A hook ends with 0 whatever happens, and within its bound, unless
NOKOSU_HOOK_TIMEOUT gives another number of seconds. What session-end has not done by then is finished by a process of its own, within ${AFTER_THE_END} s:
${Object.entries(BOUNDS)
  .map(([event, ms]) => `  ${event.padEnd(14)} ${ms / 1000} s`)
  .join('\n')}

  project        prints the --project option for this folder, quoted for a shell`,
  run,
})

type Options = GlobalOptions & { client: Client }

async function run(options: Options, event: string): Promise<void> {
  if (event === 'project') return printProject(options)
  // A later version of the plugin may know more events than this program: that is no reason to fail.
  if (!Object.hasOwn(BOUNDS, event)) return warn(`this version does not know the hook '${event}'.`)
  // Whoever started this may be gone before it has said everything.
  shell().stderr.on('error', () => {})
  const boundMs = Number(shell().env.NOKOSU_HOOK_TIMEOUT) * 1000 || BOUNDS[event as Event]
  const left = () => Math.max(0, Math.floor(boundMs - process.uptime() * 1000))
  const hook = new Told(options.client)
  const leave = async (problem?: string) => {
    if (problem !== undefined) hook.warn(problem)
    if (event === 'session-start') await hook.answer()
    // Whatever still waits, such as an input that nobody closes, is not waited for.
    await flush()
    process.exit(0)
  }
  const watchdog = setTimeout(() => void leave('the hook took too long and was left.'), left())
  process.removeAllListeners('uncaughtException').once('uncaughtException', ({ message }) => void leave(message))
  const problem = await runHook(event as Event, options, { boundMs, left }, hook).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  clearTimeout(watchdog)
  await leave(problem)
}

class Told {
  readonly #problems: string[] = []
  #context: string | null = null
  /** A compaction is no new session: the user has been told. */
  isNew = true
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** For the log of Claude Code, which few people read. */
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

/** Nothing where nothing says which project it is: the command that it is an option of then asks for one. */
async function printProject(options: GlobalOptions): Promise<void> {
  const { project } = await readConfig(options)
  await write(project === undefined ? '\n' : `--project ${quote(project)}\n`)
}

async function runHook(event: Event, options: Options, time: Time, told: Told): Promise<void> {
  const text = await readInput('-', MOST_BYTES)
  const given = readHookInput(text)
  if ('reason' in given) return told.warn(given.reason)
  if (event === 'session-end' && !shell().env.NOKOSU_HOOK_TIMEOUT) return handOver(text, time)
  // Nokosu reads the transcripts of Claude Code; of others it keeps each answer when it is given.
  const input = options.client === 'claude-code' ? given : { ...given, transcriptPath: null }
  told.isNew = input.source !== 'compact'
  const { env } = shell()
  const cwd = hookFolder(input, env)
  // Everything from here on happens in the folder of the session.
  await inShell({ ...shell(), cwd }, () => runIn(cwd, event, input, options, time, told))
}

/** Runs the same hook in a process that outlives this one, and passes on what it says while this one may still wait. */
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
  // A process that cannot be started rejects this.
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
  // The call that asks what a session learned is no session to learn from.
  if (env.NOKOSU_EXTRACTION) return
  // The run decides what its agent is shown, and hears every answer.
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
