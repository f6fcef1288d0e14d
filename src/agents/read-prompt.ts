import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordingInstructions } from '../capture/recording-instructions.ts'
import { findPackageRoot } from '../package/package-root.ts'

const PLACE = '{{memory-recording}}'
const HEADING = '## Memory Recording'

/** A text from `agents/`, with the recording section inserted where the text has a place for it. */
export async function readPrompt(...path: readonly string[]): Promise<string> {
  const prompt = await readText(...path)
  return prompt.includes(PLACE) ? teachRecording(prompt) : prompt
}

/**
 * Instructions with the section on recording, for every agent that is run: in its marked place, or at the
 * end. Adds nothing if the instructions, or a prompt on the agent's command line, already contain it.
 */
export function teachRecording(instructions: string, command: readonly string[] = []): string {
  const [before, ...after] = instructions.split(PLACE)
  if (after.length === 0 && [instructions, ...command].some((text) => text.includes(HEADING))) return instructions
  const recording = recordingInstructions()
  if (after.length > 0) return `${before}${recording}${after.join('')}`
  return instructions.trim() === '' ? `${recording}\n` : `${instructions.trimEnd()}\n\n${recording}\n`
}

function readText(...path: readonly string[]): Promise<string> {
  return readFile(join(findPackageRoot()!, 'agents', ...path), 'utf8')
}
