import { isRecord, parseJson } from '../text/json.ts'

/** Event types of stream-json and transcripts. */
const EVENT_TYPES = [
  ...['system', 'assistant', 'user', 'result', 'stream_event', 'rate_limit_event'],
  ...['summary', 'file-history-snapshot', 'attachment', 'progress', 'queue-operation'],
]
const BEGINNING = /\{\s*"/
/** Quotes may be escaped: a log driver puts whole lines into JSON strings. */
const TYPE = new RegExp(String.raw`"type\\*"\s*:\s*\\*"(?:${EVENT_TYPES.join('|')})\\*"`)
/** What every event has besides its type, and other JSON rarely has. */
const MARK = /"(?:message\\*"\s*:\s*\\*\{|(?:session_?id|subtype|result|leafUuid|messageId)\\*"\s*:)/i

/** Whether a line contains an event of Claude Code or the beginning of one, after any prefix written by another program. */
export function mayBeEvent(text: string): boolean {
  const at = text.search(BEGINNING)
  if (at < 0) return false
  const rest = text.slice(at)
  return TYPE.test(rest) && MARK.test(rest)
}

/** The event on a line. A time or a container's name may come before it. */
export function eventOf(text: string): Record<string, unknown> | null {
  if (!mayBeEvent(text)) return null
  const parsed = parseJson(text.slice(text.search(BEGINNING)))
  if (!parsed.ok || !isRecord(parsed.value)) return null
  return (EVENT_TYPES as unknown[]).includes(parsed.value.type) ? parsed.value : null
}
