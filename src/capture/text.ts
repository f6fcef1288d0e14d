import { stripVTControlCharacters } from 'node:util'
import { mayBeEvent } from './event-line.ts'
import { type LineParser, overlongEvent, refusalEvent } from './output-event.ts'

/** Reads the standard output of any command as assistant text: one event per line, without terminal colours. */
export const parseTextLine: LineParser = (line) => {
  if (line.overlong) return [overlongEvent(line)]
  const raw = line.bytes.toString('utf8')
  const text = raw.includes('\u001b') ? stripVTControlCharacters(raw) : raw
  // What a tool returned may stand in it.
  if (mayBeEvent(text))
    return [refusalEvent('The line is an event of Claude Code, or a part of one, and no text.', line)]
  return [{ kind: 'text', text, messageId: null, line: line.number, isLine: true }]
}
