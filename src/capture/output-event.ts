import type { Line } from '../text/lines.ts'
import { type RawRefusal, refuse } from './excerpt.ts'
import { withoutPrivate } from './private.ts'

/** One tool call of a run and its result. Long texts are cut. */
export interface Step {
  tool: string
  /** The short fields of the input: a command, a path, an edit, a time limit. */
  input: Record<string, string>
  ok: boolean
  output: string
}

/** What a run's output says, in any format. */
export type OutputEvent =
  /** Assistant text: complete, or with `isLine` the next line of one. `line` is the line of the input, counted from 1. */
  | { kind: 'text'; text: string; messageId: string | null; line: number; isLine?: true }
  /** What a subagent reports to the agent that started it. */
  | { kind: 'reported'; text: string; author: string; line: number }
  /** Transcripts only: a tool is used, the assistant speaks, or a prompt or tool tells it something. `at` in milliseconds. */
  | { kind: 'did'; tool: string; input: unknown; at: number }
  | { kind: 'said'; text: string; at: number }
  | { kind: 'told'; text: string }
  /** Transcripts only: what a person asked for. */
  | { kind: 'asked'; text: string }
  /** Repeated with the same id when more is known. */
  | { kind: 'session'; sessionId: string; model?: string; cwd?: string }
  | {
      kind: 'result'
      isError: boolean
      subtype: string
      result: string | null
      costUsd?: number
      structuredOutput?: unknown
    }
  /** A tool call of the agent, with its result. */
  | { kind: 'step'; step: Step }
  | { kind: 'refusal'; refusal: RawRefusal }

/** Turns one line into events. It has state (messages seen, session), so each stream needs a new one. */
export interface LineParser {
  (line: Line): Iterable<OutputEvent>
  /** Events after the last line. */
  end?(): Iterable<OutputEvent>
}

export function refusalEvent(reason: string, line: Line): OutputEvent {
  return { kind: 'refusal', refusal: refuse(reason, withoutPrivate(line.bytes.toString('utf8', 0, 2048)), line.number) }
}

export function overlongEvent(line: Line): OutputEvent {
  return refusalEvent('The line is longer than the limit and was dropped.', line)
}

/** Why the end of an output was not read. */
export function unclosedEvent(): OutputEvent {
  return { kind: 'refusal', refusal: refuse('A <private> tag is not closed: nothing after it was read.', '') }
}
