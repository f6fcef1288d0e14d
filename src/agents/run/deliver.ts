import { readFileSync, statSync } from 'node:fs'
import { stat, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { escapeForFile } from '../../guard/escape.ts'
import { putShim } from './claude-shim.ts'
import { findClaude, namesClaude } from './find-claude.ts'
import { handOver, MOST_ARGUMENT_BYTES, talksToModel } from './hand-over.ts'

export interface Delivery {
  command: string[]
  env: Record<string, string>
  detail: string
  /** Whether it has got it, as far as can be told by now. `ran`: the agent is known to have been started. */
  confirmed(ran: boolean): boolean
  /** Whether Claude Code is named in the command, so that it is worth a warning when it has not. */
  isExpected: boolean
  /** Why it cannot get it; null when it may. */
  failure: string | null
}

/** Also the beginning of the name of the other one. */
const VARIABLE = 'NOKOSU_CONTEXT'

interface Surroundings {
  cwd: string
  env: NodeJS.ProcessEnv
}

/** What an agent is to get: a text, and what Claude Code is started with besides. */
export interface Delivered {
  /** Empty where the agent gets it in another way, or there is none. */
  text: string
  options: readonly string[]
  env: Readonly<Record<string, string>>
}

/**
 * Puts a text where the agent reads it, and nothing into its workspace: at the end of Claude Code's system prompt, for others
 * into NOKOSU_CONTEXT. The folder's file has it in any case, and NOKOSU_CONTEXT_FILE names it. It is confirmed by the program that
 * hands it to Claude Code, by whoever reads the file, and by a command that names one of the two variables. To any other program it is
 * only offered: nobody can tell what a program makes of its environment.
 */
export async function deliver(
  command: readonly string[],
  { text, options, env: more }: Delivered,
  folder: string,
  surroundings: Surroundings,
): Promise<Delivery> {
  const as = { detail: 'as given', isExpected: namesClaude(command), failure: null }
  if (text === '' && options.length === 0) return { ...as, command: [...command], env: {}, confirmed: () => true }
  const file = join(folder, 'context.md')
  // Other programs read imports in prompts, and in files that are made of ours. Claude Code does not, and is shown code as it was written.
  const plain = escapeForFile(text)
  const promptFile = plain === text ? file : join(folder, 'prompt.md')
  for (const [path, content] of new Map([
    [promptFile, text],
    [file, plain],
  ]))
    if (text !== '') await writeFile(path, content, { mode: 0o600, flag: 'wx' })
  const isScript = findClaude(command) === null
  const isNamed = command.some((word) => word.includes(VARIABLE) || (isScript && reads(word, surroundings.cwd)))
  const prompt = text === '' || isNamed ? null : { file: promptFile, text: text.replaceAll('\0', '') }
  const shim = await putShim(folder, { prompt, options, env: more }, command, surroundings)
  const changed = handOver(shim?.command ?? command, { prompt, options })
  const isTold = talksToModel(command)
  const env = {
    ...(text === '' ? {} : { NOKOSU_CONTEXT_FILE: file, ...variable(plain) }),
    ...(changed === null || !isTold ? {} : more),
    ...shim?.env,
  }
  const started = { ...as, command: changed ?? shim?.command ?? [...command], env }
  if (text === '') return { ...started, confirmed: () => true }
  if (isNamed) return { ...started, detail: 'as given, memories in NOKOSU_CONTEXT', confirmed: () => true }
  await markUnread(file)
  const confirmed = () => shim?.used() === true || wasRead(file)
  if (changed === null) return { ...started, detail: 'as given, memories in NOKOSU_CONTEXT', confirmed }
  const detail = 'memories appended to the system prompt'
  return { ...started, detail, confirmed: (ran) => (ran && isTold) || confirmed() }
}

/** The first reading of a file that was never read changes this time, whatever else the disk leaves out. */
export async function markUnread(file: string): Promise<void> {
  await utimes(file, 0, (await stat(file)).mtime)
}

export function wasRead(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.atimeMs ?? 0) > 0
}

/** A script may be long, but not longer. */
const MOST_SCRIPT_BYTES = 1 << 20

/** Whether a word is the path of a script that names one of our variables: then it passes the text on. */
function reads(word: string, cwd: string): boolean {
  if (word.startsWith('-') || /\s/.test(word) || !/[./]/.test(word)) return false
  const path = resolve(cwd, word)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size > MOST_SCRIPT_BYTES) return false
  try {
    return readFileSync(path, 'latin1').includes(VARIABLE)
  } catch {
    // What we cannot read is no script of this user.
    return false
  }
}

/** A longer one could not be handed to a process; the file has it. */
function variable(text: string): Record<string, string> {
  return Buffer.byteLength(text) > MOST_ARGUMENT_BYTES ? {} : { NOKOSU_CONTEXT: text.replaceAll('\0', '') }
}
