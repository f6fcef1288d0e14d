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
  /** Whether the agent has received it, as far as is known. `ran`: the agent certainly started. */
  confirmed(ran: boolean): boolean
  /** Whether the command names Claude Code, so that a missing delivery deserves a warning. */
  isExpected: boolean
  /** Why it cannot receive it; null if it can. */
  failure: string | null
}

/** Also the prefix of the other variable's name. */
const VARIABLE = 'NOKOSU_CONTEXT'

interface Surroundings {
  cwd: string
  env: NodeJS.ProcessEnv
}

/** What an agent is given: a text, and extra options for Claude Code. */
export interface Delivered {
  /** Empty if the text is delivered another way, or there is none. */
  text: string
  options: readonly string[]
  env: Readonly<Record<string, string>>
}

/**
 * Puts a text where the agent reads it, outside the workspace: at the end of Claude Code's system prompt, or in
 * NOKOSU_CONTEXT for other programs. The file named by NOKOSU_CONTEXT_FILE always holds it. Delivery is confirmed by the program that
 * passes it to Claude Code, by a read of the file, or by a command that names one of the two variables. For any other program it counts
 * as offered only, because nobody can tell what a program does with its environment.
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
  // Other programs resolve imports in prompts and in files derived from ours. Claude Code does not, so it is shown code as written.
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

/** Reading a file for the first time changes its access time, even with `relatime`. */
export async function markUnread(file: string): Promise<void> {
  await utimes(file, 0, (await stat(file)).mtime)
}

export function wasRead(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.atimeMs ?? 0) > 0
}

/** Scripts longer than this are not searched. */
const MOST_SCRIPT_BYTES = 1 << 20

/** Whether a word is the path of a script that names one of our variables. Such a script passes the text on. */
function reads(word: string, cwd: string): boolean {
  if (word.startsWith('-') || /\s/.test(word) || !/[./]/.test(word)) return false
  const path = resolve(cwd, word)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size > MOST_SCRIPT_BYTES) return false
  try {
    return readFileSync(path, 'latin1').includes(VARIABLE)
  } catch {
    // An unreadable file is not a script of this user.
    return false
  }
}

/** A longer text cannot be passed to a process; the file has it. */
function variable(text: string): Record<string, string> {
  return Buffer.byteLength(text) > MOST_ARGUMENT_BYTES ? {} : { NOKOSU_CONTEXT: text.replaceAll('\0', '') }
}
