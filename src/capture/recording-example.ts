import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

let examples: ReadonlySet<string> | null = null

/**
 * Whether a marker is exactly one of the examples in the recording instructions. An agent that prints its instructions prints
 * them too, and they are not memories.
 */
export function isRecordingExample(marker: string): boolean {
  examples ??= readExamples()
  return examples.has(marker.trim())
}

/** Read from the instructions themselves, so that a changed example is recognised. */
function readExamples(): ReadonlySet<string> {
  const root = findPackageRoot()
  // A program that bundles this file has no instructions, so nothing can print them.
  if (root === null) return new Set()
  const text = readFileSync(join(root, 'agents', 'memory-recording.md'), 'utf8')
  return new Set(text.match(/\[MEMORY:.*\S/g))
}
