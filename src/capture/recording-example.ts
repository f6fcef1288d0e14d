import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

let examples: ReadonlySet<string> | null = null

/**
 * Whether a marker, from its bracket on, is word for word one of those by which agents are taught to write them. An agent that
 * prints its own instructions says them too, and means none of them.
 */
export function isRecordingExample(marker: string): boolean {
  examples ??= readExamples()
  return examples.has(marker.trim())
}

/** From the very text that agents are given, so that a changed example is known at once. */
function readExamples(): ReadonlySet<string> {
  const root = findPackageRoot()
  // Bundled into another program there are no instructions to print.
  if (root === null) return new Set()
  const text = readFileSync(join(root, 'agents', 'memory-recording.md'), 'utf8')
  return new Set(text.match(/\[MEMORY:.*\S/g))
}
