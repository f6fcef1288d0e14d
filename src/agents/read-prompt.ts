import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordingInstructions } from '../capture/recording-instructions.ts'
import { findPackageRoot } from '../package/package-root.ts'

const PLACE = '{{memory-recording}}'
const HEADING = '## Memory Recording'

/** A text from `agents/`, with that section in its place where it has one. */
export async function readPrompt(...path: readonly string[]): Promise<string> {
  const prompt = await readText(...path)
  return prompt.includes(PLACE) ? teachRecording(prompt) : prompt
}

/**
 * Instructions with the section on recording, for every agent that is run: at the place that they have for it, else at their
 * end. Nothing is added where they, or a prompt on the agent's command line, have the section already.
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
