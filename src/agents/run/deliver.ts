import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { handOver, MOST_ARGUMENT_BYTES } from './hand-over.ts'

/** How an agent gets what it is to know. */
export interface Delivery {
  command: string[]
  env: Record<string, string>
  /** One line on how. */
  detail: string
  /** Null when it is delivered. */
  failure: string | null
}

const ADVICE =
  'Use --inject files, or pass it on with --append-system-prompt-file "$NOKOSU_CONTEXT_FILE" where Claude Code is started'

/**
 * Puts a text where the agent reads it, and nothing into its workspace: at the end of Claude Code's system prompt, for others
 * into NOKOSU_CONTEXT. The folder's file has it in any case, and NOKOSU_CONTEXT_FILE names it.
 */
export async function deliver(command: readonly string[], text: string, folder: string): Promise<Delivery> {
  if (text === '') return { command: [...command], env: {}, detail: 'as given', failure: null }
  const file = join(folder, 'context.md')
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  const changed = handOver(command, { file, text: text.replaceAll('\0', '') })
  const env = { NOKOSU_CONTEXT_FILE: file }
  if (Array.isArray(changed)) {
    return { command: changed, env, detail: 'memories appended to the system prompt', failure: null }
  }
  const given = { command: [...command], env: { ...env, ...variable(text) } }
  if (changed === null) return { ...given, detail: 'as given, memories in NOKOSU_CONTEXT', failure: null }
  return { ...given, detail: 'as given', failure: `${changed}. ${ADVICE}` }
}

/** A longer one could not be handed to a process; the file has it. */
function variable(text: string): Record<string, string> {
  return Buffer.byteLength(text) > MOST_ARGUMENT_BYTES ? {} : { NOKOSU_CONTEXT: text.replaceAll('\0', '') }
}
