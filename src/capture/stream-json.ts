import { whyUnsafeJson } from '../text/json.ts'
import type { Line } from '../text/lines.ts'
import { AssistantTexts, actsOf, isSynthetic, reportedBy, toldBy } from './assistant-message.ts'
import { readJsonLine } from './json-line.ts'
import { type LineParser, type OutputEvent, refusalEvent } from './output-event.ts'
import { ToolSteps } from './tool-steps.ts'

/** Only reads assistant, result and system init events and tool results. */
const NEEDLES = ['"assistant"', '"result"', '"init"', '"tool_result"'].map((text) => Buffer.from(text))

/** Reads what `claude -p --output-format stream-json --verbose` prints, or the one line of `--output-format json`. */
export function streamJsonParser(): LineParser {
  const texts = new AssistantTexts()
  const steps = new ToolSteps()
  let sessionId: string | null = null
  let alone = true

  function* read(event: Record<string, unknown>, line: Line): Generator<OutputEvent> {
    if (event.type === 'system' && event.subtype === 'init') {
      alone = false
      yield* session(event)
    } else if (event.type === 'assistant') {
      alone = false
      yield* session(event)
      if (isSynthetic(event)) return
      if (typeof event.parent_tool_use_id !== 'string') {
        yield* actsOf(event)
        yield* texts.read(event, line)
        yield* steps.read(event)
        return
      }
      const author = steps.subagent(event.parent_tool_use_id)
      if (author !== null) yield* reportedBy(author, texts.read(event, line))
    } else if (event.type === 'user') {
      if (typeof event.parent_tool_use_id === 'string') return
      yield* toldBy(event)
      yield* steps.read(event)
    } else if (event.type === 'result') {
      yield* session(event)
      yield* result(event, line, alone)
      alone = false
    }
  }

  function* session(event: Record<string, unknown>): Generator<OutputEvent> {
    if (typeof event.session_id !== 'string' || event.session_id === sessionId) return
    sessionId = event.session_id
    const { model, cwd } = event
    yield {
      kind: 'session',
      sessionId,
      ...(typeof model === 'string' ? { model } : {}),
      ...(typeof cwd === 'string' ? { cwd } : {}),
    }
  }

  return (line) => readJsonLine(line, NEEDLES, (event) => read(event, line))
}

/** `subtype` is "success" for API errors too; `isError` decides. */
function* result(event: Record<string, unknown>, line: Line, alone: boolean): Generator<OutputEvent> {
  const text = typeof event.result === 'string' ? event.result : null
  const isError = event.is_error === true
  const structured = event.structured_output
  const unsafe = structured === undefined ? null : whyUnsafeJson(structured)
  if (unsafe !== null) yield refusalEvent(`structured_output ${unsafe}.`, line)
  // A result without earlier events is `--output-format json`: it holds everything that the assistant said.
  if (alone && !isError && text) yield { kind: 'text', text, messageId: null, line: line.number }
  yield {
    kind: 'result',
    isError,
    subtype: typeof event.subtype === 'string' ? event.subtype : 'unknown',
    result: text,
    ...(typeof event.total_cost_usd === 'number' ? { costUsd: event.total_cost_usd } : {}),
    ...(structured === undefined || unsafe !== null ? {} : { structuredOutput: structured }),
  }
}
