import type { Memory } from '../model/memory.ts'
import { tokenize } from '../text/tokens.ts'

/** How a line of a transcript begins: who says it, perhaps with when. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})(?: \([^)]{1,60}\))?: /u

/** Few names write many memories. */
const known = new Map<string, readonly string[]>()
const MOST_KNOWN = 5_000
const NOBODY: readonly string[] = []

/** The tokens of whoever a memory is by or about: its service, or the speaker of a line in a thread. */
export function writerOf({ service, thread, content }: Memory): readonly string[] {
  const name = service ?? (thread === null ? null : (SPEAKER.exec(content)?.[1] ?? null))
  if (name === null) return NOBODY
  let tokens = known.get(name)
  if (tokens === undefined) {
    tokens = tokenize(name)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(name, tokens)
  }
  return tokens
}
