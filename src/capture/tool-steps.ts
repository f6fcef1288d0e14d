import { isRecord } from '../text/json.ts'
import { HeadAndTail } from './head-and-tail.ts'
import type { OutputEvent, Step } from './output-event.ts'
import { PrivateParts, withoutPrivate } from './private.ts'

/** Calls that wait for their result. A client runs far fewer in parallel. */
const MOST_OPEN = 256
const MAX_FIELD = 4_096
const MAX_OUTPUT = 4_096

/** Pairs tool calls with their results. Both formats of Claude Code use the same blocks. */
export class ToolSteps {
  readonly #open = new Map<string, Pick<Step, 'tool' | 'input'>>();

  *read(event: Record<string, unknown>): Generator<OutputEvent> {
    const content = isRecord(event.message) ? event.message.content : null
    if (!Array.isArray(content)) return
    for (const block of content) {
      if (!isRecord(block)) continue
      if (event.type === 'assistant' && block.type === 'tool_use') this.#begin(block)
      if (event.type === 'user' && block.type === 'tool_result') yield* this.#end(block)
    }
  }

  /** The subagent started by a call, which may come before the beginning of the file; null if the call started none. */
  subagent(id: string): string | null {
    const call = this.#open.get(id)
    return call === undefined ? UNNAMED : nameOf(call)
  }

  /** The only active subagent, if there is exactly one. */
  get subagentAtWork(): string {
    const names = new Set([...this.#open.values()].flatMap((call) => nameOf(call) ?? []))
    return names.size === 1 ? [...names][0]! : UNNAMED
  }

  #begin({ id, name, input }: Record<string, unknown>): void {
    if (typeof id !== 'string' || typeof name !== 'string' || !isRecord(input)) return
    this.#open.set(id, { tool: name, input: shortFields(input) })
    if (this.#open.size > MOST_OPEN) this.#open.delete(this.#open.keys().next().value as string)
  }

  *#end({ tool_use_id: id, is_error, content }: Record<string, unknown>): Generator<OutputEvent> {
    const call = typeof id === 'string' ? this.#open.get(id) : undefined
    if (call === undefined) return
    this.#open.delete(id as string)
    yield { kind: 'step', step: { ...call, ok: is_error !== true, output: textOf(content) } }
  }
}

/** A subagent whose name is unknown. */
const UNNAMED = 'subagent'
const STARTS_SUBAGENT = /^(?:Task|Agent)$/

function nameOf(call: Pick<Step, 'tool' | 'input'>): string | null {
  if (!STARTS_SUBAGENT.test(call.tool)) return null
  const name = call.input.subagent_type ?? ''
  return /^[\w:.-]{1,64}$/.test(name) ? name : UNNAMED
}

/** The texts, numbers and switches of a tool's input, as strings. */
export function shortFields(input: Record<string, unknown>): Record<string, string> {
  const plain = Object.entries(input).filter(([, value]) => /^(?:string|number|boolean)$/.test(typeof value))
  return Object.fromEntries(
    plain.slice(0, 16).map(([name, value]) => [name, withoutPrivate(String(value)).slice(0, MAX_FIELD)]),
  )
}

function textOf(content: unknown): string {
  const text = new HeadAndTail(MAX_OUTPUT)
  const parts = new PrivateParts()
  for (const block of Array.isArray(content) ? content : [content]) {
    if (typeof block === 'string') text.add(parts.strip(block))
    else if (isRecord(block) && typeof block.text === 'string') text.add(parts.strip(block.text))
  }
  return text.toString()
}
