import { isRecord } from '../text/json.ts'
import type { Line } from '../text/lines.ts'
import { AssistantTexts, actsOf, askedBy, isSynthetic, reportedBy, toldBy } from './assistant-message.ts'
import { readJsonLine } from './json-line.ts'
import type { LineParser, OutputEvent } from './output-event.ts'
import { ToolSteps } from './tool-steps.ts'

const ASSISTANT = Buffer.from('"assistant"')
const USER = Buffer.from('"user"')
const SESSION = Buffer.from('"sessionId"')

/**
 * Reads the transcript that Claude Code keeps of a session. Only returns assistant text and tool calls. Attachments and API requests
 * contain the injected memories, and capturing those would store them again.
 */
export function transcriptParser(): LineParser {
  const texts = new AssistantTexts()
  const steps = new ToolSteps()
  let needles = [ASSISTANT, SESSION]
  let sessionId: string | null = null
  let model: string | null = null

  function* read(event: Record<string, unknown>, line: Line): Generator<OutputEvent> {
    yield* session(event)
    if (event.type === 'user') {
      yield* toldBy(event)
      yield* askedBy(event)
    }
    if (isSynthetic(event)) return
    if (event.isSidechain === true) {
      if (event.type === 'assistant') yield* reportedBy(steps.subagentAtWork, texts.read(event, line))
      return
    }
    if (event.type === 'assistant') {
      yield* actsOf(event)
      yield* texts.read(event, line)
    }
    yield* steps.read(event)
  }

  /** The id is on every line, the directory on most, the model only on assistant messages. */
  function* session(event: Record<string, unknown>): Generator<OutputEvent> {
    const isMessage = event.type === 'user' || event.type === 'assistant'
    if (!isMessage || typeof event.sessionId !== 'string') return
    const spoken = isRecord(event.message) && typeof event.message.model === 'string' ? event.message.model : null
    const named = model === null && spoken !== null && !isSynthetic(event)
    if (event.sessionId === sessionId && !named) return
    sessionId = event.sessionId
    if (named) model = spoken
    needles = [ASSISTANT, USER]
    yield {
      kind: 'session',
      sessionId,
      ...(model === null ? {} : { model }),
      ...(typeof event.cwd === 'string' ? { cwd: event.cwd } : {}),
    }
  }

  return (line) => readJsonLine(line, needles, (event) => read(event, line))
}
