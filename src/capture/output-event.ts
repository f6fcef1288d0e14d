import { DEFAULT_MAX_LINE_BYTES, type Line, LineSplitter } from '../text/lines.ts'
import type { RawRefusal } from './captured.ts'
import { refuse } from './excerpt.ts'

/** What a run's output says, in every format. */
export type OutputEvent =
  /** A text of the assistant. `line` is the line of the input, counted from 1. */
  | { kind: 'text'; text: string; messageId: string | null; line: number }
  /** Comes again with the same id when more is known. */
  | { kind: 'session'; sessionId: string; model?: string; cwd?: string }
  | {
      kind: 'result'
      isError: boolean
      subtype: string
      result: string | null
      costUsd?: number
      structuredOutput?: unknown
    }
  | { kind: 'refusal'; refusal: RawRefusal }

/** Turns one line into events. It has state (messages seen, session), so each stream needs a new one. */
export type LineParser = (line: Line) => Iterable<OutputEvent>

export interface ReadOptions {
  /** A longer line is dropped and refused. Default 16 MiB. */
  maxLineBytes?: number
}

/** Reads a byte stream with a parser. Holds at most one line in memory. */
export async function* readOutput(
  source: AsyncIterable<Uint8Array>,
  parse: LineParser,
  splitter: LineSplitter,
): AsyncGenerator<OutputEvent> {
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

export function splitterFor(options: ReadOptions): LineSplitter {
  return new LineSplitter(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES)
}

export function refusalEvent(reason: string, line: Line): OutputEvent {
  return { kind: 'refusal', refusal: refuse(reason, line.bytes.toString('utf8', 0, 2048), line.number) }
}

export function overlongEvent(line: Line): OutputEvent {
  return refusalEvent('The line is longer than the limit and was dropped.', line)
}
