import { createHash } from 'node:crypto'
import { isRecord } from '../text/json.ts'
import type { Line } from '../text/lines.ts'
import { type OutputEvent, refusalEvent } from './output-event.ts'

/** How many text blocks are remembered to recognize repeats. One message has far fewer. */
const REMEMBERED_TEXTS = 4_096

/** Time of an event without one: it can only follow from what the session was shown at its start. */
const UNKNOWN_TIME = Number.MIN_SAFE_INTEGER

/** The tool calls and text of an assistant's message. */
export function* actsOf({ message, timestamp }: Record<string, unknown>): Generator<OutputEvent> {
  const told = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  const at = Number.isNaN(told) ? UNKNOWN_TIME : told
  if (!isRecord(message) || !Array.isArray(message.content)) return
  for (const block of message.content.filter(isRecord)) {
    if (block.type === 'tool_use') yield { kind: 'did', tool: String(block.name), input: block.input, at }
    if (typeof block.text === 'string') yield { kind: 'said', text: block.text, at }
  }
}

/** What a prompt or a tool result tells the session. */
export function* toldBy(event: Record<string, unknown>): Generator<OutputEvent> {
  const content = isRecord(event.message) ? event.message.content : null
  if (content)
    yield { kind: 'told', text: typeof content === 'string' ? content : JSON.stringify(content).replaceAll('\\n', ' ') }
}

const COMMAND = /<command-name>(.*?)<\/command-name>/s
const ARGUMENTS = /<command-args>(.*?)<\/command-args>/s

/** What a person typed: not a tool result, a note from the program, or an agent's message to a subagent. */
export function* askedBy(event: Record<string, unknown>): Generator<OutputEvent> {
  const content = isRecord(event.message) ? event.message.content : null
  if (event.isMeta === true || event.isSidechain === true) return
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const first = Array.isArray(blocks) ? blocks.find((block) => isRecord(block) && block.type === 'text') : undefined
  if (typeof first?.text !== 'string') return
  const command = COMMAND.exec(first.text)?.[1]
  const text = command === undefined ? first.text : `${command} ${ARGUMENTS.exec(first.text)?.[1] ?? ''}`
  if (!/^\s*<[a-z-]+>/.test(text) && text.trim() !== '') yield { kind: 'asked', text: text.trim() }
}

/** A subagent's texts. Only the agent that started it reads them; they are not the agent's own words. */
export function* reportedBy(author: string, events: Iterable<OutputEvent>): Generator<OutputEvent> {
  for (const event of events) {
    yield event.kind === 'text' ? { kind: 'reported', text: event.text, author, line: event.line } : event
  }
}

/** An API or client error that the client put into an assistant message. The model did not say it. */
export function isSynthetic(event: Record<string, unknown>): boolean {
  if (event.is_api_error_message === true || event.isApiErrorMessage === true) return true
  return isRecord(event.message) && event.message.model === '<synthetic>'
}

/**
 * Returns the text blocks of assistant events. A message comes as several events with the same id, one block each, and
 * a resumed or replayed stream sends blocks again, so the same text under the same id is returned once.
 */
export class AssistantTexts {
  readonly #seen = new Set<string>();

  *read(event: Record<string, unknown>, line: Line): Generator<OutputEvent> {
    const message = event.message
    if (!isRecord(message)) {
      yield refusalEvent('The assistant event has no message.', line)
      return
    }
    const messageId = typeof message.id === 'string' ? message.id : null
    const { content } = message
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(blocks)) {
      yield refusalEvent('The assistant message has no content blocks.', line)
      return
    }
    for (const block of blocks) {
      if (!isRecord(block) || block.type !== 'text') continue
      if (typeof block.text !== 'string') yield refusalEvent('The text block has no text.', line)
      else if (this.#isNew(messageId, block.text)) {
        yield { kind: 'text', text: block.text, messageId, line: line.number }
      }
    }
  }

  #isNew(messageId: string | null, text: string): boolean {
    if (text === '') return false
    if (messageId === null) return true
    const key = createHash('sha256').update(messageId).update('\0').update(text).digest('base64')
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    if (this.#seen.size > REMEMBERED_TEXTS) this.#seen.delete(this.#seen.values().next().value as string)
    return true
  }
}
