import { isRecord, parseJson } from '../text/json.ts'
import type { Line } from '../text/lines.ts'
import { eventOf } from './event-line.ts'
import { type OutputEvent, overlongEvent, refusalEvent } from './output-event.ts'

const NO_EVENTS: readonly OutputEvent[] = []

/**
 * Parses a line as one JSON object if it can matter. Most of a stream is tool output that is not needed, so a line is parsed
 * only if it contains one of the `needles`. A needle is a JSON string with its quotes, such as
 * `"assistant"`: inside another string the quotes would be escaped, so a line without these bytes cannot have that value
 * anywhere. (Plain letters written as \u escapes are not understood; no known writer does that.)
 */
export function readJsonLine(
  line: Line,
  needles: readonly Buffer[],
  read: (event: Record<string, unknown>) => Iterable<OutputEvent>,
): Iterable<OutputEvent> {
  if (line.overlong) return [overlongEvent(line)]
  const shape = shapeOf(line.bytes)
  if (shape === 'blank') return NO_EVENTS
  if (shape === 'other') {
    const event = eventOf(line.bytes.toString('utf8'))
    return event === null ? [refusalEvent('The line is not a whole JSON object.', line)] : read(event)
  }
  if (!needles.some((needle) => line.bytes.indexOf(needle) >= 0)) return NO_EVENTS
  const parsed = parseJson(line.bytes.toString('utf8'))
  if (!parsed.ok || !isRecord(parsed.value)) return [refusalEvent('The line is not valid JSON.', line)]
  return read(parsed.value)
}

/** Only checks both ends, which is enough to find a truncated line, text between events, or a prefix. */
function shapeOf(bytes: Buffer): 'blank' | 'object' | 'other' {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  if (start === end) return 'blank'
  return bytes[start] === 0x7b && bytes[end - 1] === 0x7d ? 'object' : 'other'
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}
