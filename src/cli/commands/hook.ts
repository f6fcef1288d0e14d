import type { Command } from 'commander'
import { type HookInput, readHookInput } from '../../capture/hook-input.ts'
import { type Hook, hookFolder, hookIdentifiers, hookSession } from '../../claude-code/hook.ts'
import { findRepository } from '../../config/repository.ts'
import { quote } from '../command-line.ts'
import { type GlobalOptions, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { flush, write, writeError } from '../output.ts'
import { storeCommand } from '../run-settings.ts'
import { inShell, shell } from '../shell.ts'

/** Milliseconds that a hook may take, from the start of its process to its end. */
const BOUNDS = { 'session-start': 2000, stop: 2000, 'session-end': 4000 } as const
type Event = keyof typeof BOUNDS

/** `nokosu hook`: what the plugin for Claude Code runs. */
export function configure(command: Command): void {
  command
    .argument('<event>', 'session-start, stop or session-end, with the hook’s input on standard input')
    .addHelpText(
      'after',
      `
For the plugin of Claude Code, not for people. A hook ends with 0 whatever happens, and within its bound:
${Object.entries(BOUNDS)
  .map(([event, ms]) => `  ${event.padEnd(14)} ${ms / 1000} s`)
  .join('\n')}

  project        prints the --project option for this folder, quoted for a shell`,
    )
    .action(run)
}

async function run(event: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>()
  if (event === 'project') return printProject(options)
  // A later version of the plugin may know more events than this program: that is no reason to fail.
  if (!Object.hasOwn(BOUNDS, event)) return warn(`this version does not know the hook '${event}'.`)
  const left = () => Math.max(0, Math.floor(BOUNDS[event as Event] - process.uptime() * 1000))
  const watchdog = setTimeout(() => {
    warn('the hook took too long and was left.')
    process.exit(0)
  }, left())
  process.removeAllListeners('uncaughtException').once('uncaughtException', (error) => {
    warn(error.message)
    process.exit(0)
  })
  try {
    await runHook(event as Event, options, left)
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error))
  }
  clearTimeout(watchdog)
  // Whatever still waits, such as an input that nobody closes, is not waited for.
  await flush()
  process.exit(0)
}

/** Nothing where nothing says which project it is: the command that it is an option of then asks for one. */
async function printProject(options: GlobalOptions): Promise<void> {
  const { project } = await readConfig(options)
  await write(project === undefined ? '\n' : `--project ${quote(project)}\n`)
}

async function runHook(event: Event, options: GlobalOptions, left: () => number): Promise<void> {
  const input = readHookInput(await readInput())
  if ('reason' in input) return warn(input.reason)
  const { env } = shell()
  const cwd = hookFolder(input, env)
  // Everything from here on happens in the folder of the session.
  await inShell({ ...shell(), cwd }, () => runIn(cwd, event, input, options, left))
}

async function runIn(
  folder: string,
  event: Event,
  input: HookInput,
  options: GlobalOptions,
  left: () => number,
): Promise<void> {
  const { env } = shell()
  const session = hookSession(input, env)
  // The run decides what its agent is shown, and hears every answer.
  if (session.inRun && event !== 'session-end') return
  const config = await readConfig(options)
  const identifiers = hookIdentifiers(config, env)
  if (!config.memory.enabled || identifiers === null) return
  const hook: Hook = {
    ...session,
    identifiers,
    input,
    config,
    branch: findRepository(folder)?.branch ?? null,
    store: storeCommand(config, { cwd: folder, env }),
    spoolFolders: await spoolFoldersOf(config),
    left,
    warn,
  }
  if (event === 'session-start') {
    const { startSession } = await import('../../claude-code/start-session.ts')
    return write(`${await startSession(hook)}\n`)
  }
  const { keepSession } = await import('../../claude-code/keep-session.ts')
  return keepSession(hook)
}

/** More than the longest answer of a model, which the input of Stop holds. */
const MOST_BYTES = 16 << 20

async function readInput(): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > MOST_BYTES) throw new Error('the input of the hook is too long.')
  }
  return Buffer.concat(parts).toString('utf8')
}

/** One line, so that it is not taken for several messages. */
function warn(text: string): void {
  writeError(`nokosu: ${text.replace(/\s+/g, ' ').trim()}\n`)
}
