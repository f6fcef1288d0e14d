import type { Memory } from '../model/memory.ts'
import { speakerOf } from '../text/speaker.ts'
import { tokenize } from '../text/tokens.ts'

/** Cache: a few names write many memories. */
const known = new Map<string, readonly string[]>()
const MOST_KNOWN = 5_000
const NOBODY: readonly string[] = []

/** The tokens of a memory's author or subject: its service, or the speaker of a line in a thread. */
export function writerOf({ service, thread, content }: Memory): readonly string[] {
  const name = service ?? (thread === null ? null : speakerOf(content))
  if (name === null) return NOBODY
  let tokens = known.get(name)
  if (tokens === undefined) {
    tokens = tokenize(name)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(name, tokens)
  }
  return tokens
}
