import { parseJson } from '../text/json.ts'
import { FenceTracker, splitLines } from './fence.ts'

/** How many positions in prose are tried as the start of JSON. */
const MAX_ATTEMPTS = 64

/**
 * Every JSON array or object in a text, most trusted first: the whole text, then its code blocks, then JSON between words.
 */
export function* findJson(text: string): Generator<unknown> {
  const whole = parseJson(text.trim())
  if (whole.ok) {
    yield whole.value
    return
  }
  for (const block of fencedBlocks(text)) {
    const parsed = parseJson(block)
    if (parsed.ok) yield parsed.value
  }
  let attempts = 0
  for (let at = nextOpening(text, 0); at >= 0 && attempts < MAX_ATTEMPTS; attempts++) {
    const end = closingOf(text, at)
    const parsed = end < 0 ? null : parseJson(text.slice(at, end + 1))
    if (parsed?.ok) yield parsed.value
    at = nextOpening(text, parsed?.ok ? end + 1 : at + 1)
  }
}

function* fencedBlocks(text: string): Generator<string> {
  const fence = new FenceTracker()
  let block: string[] | null = null
  for (const line of splitLines(text)) {
    fence.isCode(line)
    if (block === null) {
      if (fence.isOpen) block = []
    } else if (fence.isOpen) block.push(line)
    else {
      yield block.join('\n')
      block = null
    }
  }
}

function nextOpening(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/)
  return found < 0 ? -1 : from + found
}

/** The index where the bracket at `start` closes, or -1. Brackets inside strings do not count. */
function closingOf(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return at
  }
  return -1
}
