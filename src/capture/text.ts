import { stripVTControlCharacters } from 'node:util'
import { mayBeEvent } from './event-line.ts'
import { isInPrintedData } from './markers.ts'
import { type LineParser, overlongEvent, refusalEvent, unclosedEvent } from './output-event.ts'
import { PrivateParts } from './private.ts'

/** Reads the standard output of any command as assistant text: one event per line, without terminal colours. */
export function textParser(): LineParser {
  const parts = new PrivateParts()
  const parse: LineParser = (line) => {
    const raw = line.bytes.toString('utf8')
    const wasOpen = parts.isOpen
    const text = parts.strip(raw.includes('\u001b') ? stripVTControlCharacters(raw) : raw)
    const isPrivate = wasOpen || parts.isOpen
    if (line.overlong) return isPrivate ? [] : [overlongEvent(line)]
    // It may contain what a tool returned.
    if (mayBeEvent(text))
      return [refusalEvent('The line is an event of Claude Code, or part of one, and not text.', line)]
    if (isInPrintedData(text))
      return [refusalEvent('The marker is inside a string in printed data, which may be tool output.', line)]
    return [{ kind: 'text', text, messageId: null, line: line.number, isLine: true }]
  }
  parse.end = () => (parts.isOpen ? [unclosedEvent()] : [])
  return parse
}
