import { recordingInstructions } from './recording-instructions.ts'

let examples: ReadonlySet<string> | null = null

/**
 * Whether a marker is exactly one of the examples in the recording instructions. An agent that prints its instructions prints
 * these too, and they are not memories.
 */
export function isRecordingExample(marker: string): boolean {
  examples ??= readExamples()
  return examples.has(marker.trim())
}

/** Read from the instructions themselves, so that a changed example is recognized. */
function readExamples(): ReadonlySet<string> {
  return new Set(recordingInstructions().match(/\[MEMORY:.*\S/g))
}
