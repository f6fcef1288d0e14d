import { LineSplitter } from '../text/lines.ts'
import { eventOf } from './event-line.ts'
import type { LineParser, OutputEvent } from './output-event.ts'
import { streamJsonParser } from './stream-json.ts'
import { parseTextLine } from './text.ts'
import { transcriptParser } from './transcript.ts'

export type CaptureFormat = 'stream-json' | 'transcript' | 'text'

/** `output`: what a run prints, which is plain text until the first event of stream-json. */
export type OutputFormat = CaptureFormat | 'output'

const PARSERS: Record<OutputFormat, () => LineParser> = {
  'stream-json': streamJsonParser,
  transcript: transcriptParser,
  text: () => parseTextLine,
  output: outputParser,
}

/** Reads a byte stream. Holds at most one line in memory. */
export async function* readOutput(
  source: AsyncIterable<Uint8Array>,
  format: OutputFormat,
  splitter = new LineSplitter(),
): AsyncGenerator<OutputEvent> {
  const parse = PARSERS[format]()
  for await (const chunk of source) {
    for (const line of splitter.push(chunk)) {
      // Not `yield*`: in an async generator it waits once per line, even when the line has no events.
      for (const event of parse(line)) yield event
    }
  }
  for (const line of splitter.end()) {
    for (const event of parse(line)) yield event
  }
}

/** A program around the agent may print lines of its own before the first event. From there on only events count. */
function outputParser(): LineParser {
  const parseEvent = streamJsonParser()
  let isStream = false
  return (line) => {
    isStream ||= !line.overlong && eventOf(line.bytes.toString('utf8')) !== null
    return isStream ? parseEvent(line) : parseTextLine(line)
  }
}
