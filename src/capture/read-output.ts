import { LineSplitter } from '../text/lines.ts'
import { eventOf } from './event-line.ts'
import type { LineParser, OutputEvent } from './output-event.ts'
import { PrivateFilter } from './private-filter.ts'
import { streamJsonParser } from './stream-json.ts'
import { textParser } from './text.ts'
import { transcriptParser } from './transcript.ts'

export type CaptureFormat = 'stream-json' | 'transcript' | 'text'

/** `output`: what a run prints, which is plain text until the first stream-json event. */
export type OutputFormat = CaptureFormat | 'output'

const PARSERS: Record<OutputFormat, () => LineParser> = {
  'stream-json': streamJsonParser,
  transcript: transcriptParser,
  text: textParser,
  output: outputParser,
}

/** Reads a byte stream. Holds at most one line in memory. */
export async function* readOutput(
  source: AsyncIterable<Uint8Array>,
  format: OutputFormat,
  splitter = new LineSplitter(),
): AsyncGenerator<OutputEvent> {
  const parse = PARSERS[format]()
  const filter = new PrivateFilter()
  for await (const chunk of source) {
    for (const line of splitter.push(chunk)) {
      // Not `yield*`: in an async generator it waits once per line, even if the line has no events.
      for (const event of parse(line)) for (const open of filter.take(event)) yield open
    }
  }
  for (const line of splitter.end()) {
    for (const event of parse(line)) yield* filter.take(event)
  }
  yield* parse.end?.() ?? []
  yield* filter.end()
}

/** A wrapper may print lines of its own before the first event. After that only events count. */
function outputParser(): LineParser {
  const parseEvent = streamJsonParser()
  const parseText = textParser()
  let isStream = false
  const parse: LineParser = (line) => {
    isStream ||= !line.overlong && eventOf(line.bytes.toString('utf8')) !== null
    return isStream ? parseEvent(line) : parseText(line)
  }
  parse.end = () => parseText.end?.() ?? []
  return parse
}
