import { stripVTControlCharacters } from 'node:util'
import { type LineParser, overlongEvent } from './output-event.ts'

/** Reads the standard output of any command as assistant text: one event per line, without terminal colours. */
export const parseTextLine: LineParser = (line) => {
  if (line.overlong) return [overlongEvent(line)]
  const raw = line.bytes.toString('utf8')
  const text = raw.includes('\u001b') ? stripVTControlCharacters(raw) : raw
  return [{ kind: 'text', text, messageId: null, line: line.number, isLine: true }]
}
