import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

/** A text from `agents/`, with the one section that teaches every agent how to leave something behind. */
export async function readPrompt(...path: readonly string[]): Promise<string> {
  const folder = join(findPackageRoot()!, 'agents')
  const [prompt, recording] = await Promise.all([
    readFile(join(folder, ...path), 'utf8'),
    readFile(join(folder, 'memory-recording.md'), 'utf8'),
  ])
  return prompt.replace('{{memory-recording}}', () => recording.trimEnd())
}
