import { isRecord } from '../text/json.ts'
import { type OutputEvent, unclosedEvent } from './output-event.ts'
import { PrivateParts, withoutPrivate } from './private.ts'

/**
 * Removes private parts from the events of one output. A tag opened in one text block hides the blocks and tool calls after it until
 * another block closes it. Lines of plain text are stripped where they are read.
 */
export class PrivateFilter {
  readonly #said = new PrivateParts()
  readonly #reported = new Map<string, PrivateParts>();

  *take(event: OutputEvent): Generator<OutputEvent> {
    if (event.kind === 'text' && !event.isLine) yield { ...event, text: this.#said.strip(event.text) }
    else if (event.kind === 'reported') yield { ...event, text: this.#of(event.author).strip(event.text) }
    else if (event.kind === 'result') yield withoutPrivateResult(event)
    else if (event.kind !== 'step' || !this.#said.isOpen) yield event
  }

  end(): OutputEvent[] {
    return this.#said.isOpen ? [unclosedEvent()] : []
  }

  #of(author: string): PrivateParts {
    const parts = this.#reported.get(author) ?? new PrivateParts()
    this.#reported.set(author, parts)
    return parts
  }
}

function withoutPrivateResult(event: OutputEvent & { kind: 'result' }): OutputEvent {
  const result = event.result === null ? null : withoutPrivate(event.result)
  const { structuredOutput } = event
  return structuredOutput === undefined
    ? { ...event, result }
    : { ...event, result, structuredOutput: withoutPrivateIn(structuredOutput) }
}

/** The same for every string in a JSON value. */
function withoutPrivateIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutPrivate(value)
  if (Array.isArray(value)) return value.map(withoutPrivateIn)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutPrivateIn(each)]))
}
