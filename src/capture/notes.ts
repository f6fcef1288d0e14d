import { isVisibleText } from './excerpt.ts'
import { FenceTracker, splitLines } from './fence.ts'
import { withoutPrivate } from './private.ts'
import { withoutToolOutput } from './tool-output.ts'

/** Characters. A longer text is a response or a log, not a note. */
const MAX_NOTE_LENGTH = 16_000
/** A note with this many log lines is a pasted log. */
const LOG_LINES = 3
const KEPT_LINES_OF_LOG = 5

const LOG_LINE = [
  /^\s*\[?(\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d/,
  /^\s*npm (ERR!|WARN|notice|error|warn)/,
  /^\s*\[?(INFO|DEBUG|TRACE|WARN|WARNING|ERROR|FATAL)\]?[:\s]/,
  /^\s*(diff --git |index [0-9a-f]+\.\.|@@ |[+-]{3} )/,
  /^\s*#\d+ (\d+\.\d+|\[|DONE|CACHED)/,
  /^\s*[✓✔✗✘×] /,
  /^\s*(PASS|ok \d+|not ok \d+)\b/,
  /^\s*[-=*_#.>|+]{4,}/,
]

const CHATTER = new Set(
  `a all alright amazing and approved awesome cheers cool done excellent fine for good great hello hey hi is it job lgtm
  looking looks me much nice no nope ok okay on perfect please ready right ship so sounds sure thank thanks that the then
  this to very well will do work works wow yeah yep yes you your`.split(/\s+/),
)
/** A longer note is never chatter, whatever its words. */
const MAX_CHATTER_WORDS = 12

export type Note = { text: string } | { reason: string }

/**
 * Turns a note into one plain line: joins lists, and drops pasted logs and code. Returns the reason if nothing worth
 * remembering is left: a raw prompt or response, only log output, or chatter.
 */
export function cleanNote(given: string): Note {
  const raw = withoutPrivate(given)
  if (!isVisibleText(raw)) return { reason: 'nothing is said' }
  const blob = whyRaw(raw)
  if (blob !== null) return { reason: blob }
  const lines = meaningfulLines(raw)
  if (lines.length === 0) return { reason: 'only log output or code, which is not kept' }
  const text = joinLines(lines)
  return isChatter(text) ? { reason: 'chatter, not useful to the next run' } : { text }
}

function whyRaw(raw: string): string | null {
  if (raw.length > MAX_NOTE_LENGTH) {
    return `a raw text of ${raw.length.toLocaleString('en')} characters, not a note (at most ${MAX_NOTE_LENGTH.toLocaleString('en')})`
  }
  const start = raw.trimStart()
  // One such word may begin a real note ("User: cannot log in"). Two make a conversation.
  if ((raw.match(/^\s*(human|user|system|assistant)\s*:/gim)?.length ?? 0) > 1 || start.includes('<|im_start|>')) {
    return 'a raw prompt or response, which is not kept'
  }
  if (/^[[{]\s*["{]/.test(start) && /[\]}]\s*$/.test(raw)) return 'raw JSON, which is not kept'
  return null
}

function meaningfulLines(raw: string): string[] {
  const fence = new FenceTracker()
  const prose = withoutToolOutput(splitLines(raw).filter((line) => !fence.isCode(line))).filter(isVisibleText)
  const spoken = prose.filter((line) => !LOG_LINE.some((pattern) => pattern.test(line)))
  return prose.length - spoken.length < LOG_LINES ? prose : spoken.slice(0, KEPT_LINES_OF_LOG)
}

function joinLines(lines: string[]): string {
  let joined = ''
  for (const line of lines) {
    const item = line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '')
    const isItem = item !== line
    const plain = item.trim().replace(/\s+/g, ' ')
    if (joined === '') joined = plain
    else joined += isItem && !/[.;:!?,]$/.test(joined) ? `; ${plain}` : ` ${plain}`
  }
  return joined
}

function isChatter(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  // Only symbols: "+1" has a digit, an emoji has none.
  if (words.length === 0 || /^\W*\+?1\W*$/.test(text)) return true
  return words.length <= MAX_CHATTER_WORDS && words.every((word) => CHATTER.has(word))
}
