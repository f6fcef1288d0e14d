import type { Moment } from '../model/moment.ts'
import { type Companion, shorten } from './companion.ts'

/** A message of the AI SDK's model interface, reduced to what memory reads: versions 2 to 4 share it. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | readonly object[]
}

interface Part {
  type?: unknown
  text?: unknown
  toolName?: unknown
  toolCallId?: unknown
  input?: unknown
  output?: { type?: unknown; value?: unknown; reason?: unknown }
}

/** The prompt with memories added at its start, and relevant ones after the message that calls for them. */
export async function withMemory<Message extends PromptMessage>(
  companion: Companion,
  prompt: readonly Message[],
): Promise<(Message | SystemMessage | UserMessage)[]> {
  const messages = prompt.filter(({ role }) => role !== 'system')
  const answered = messages.findLastIndex(({ role }) => role === 'assistant')
  const asked = messages.find(({ role }) => role === 'user')
  const start = await companion.start(asked === undefined ? '' : textOf(asked))
  const recalled = await companion.recall(
    messages.length,
    (index) => index > answered,
    (index) => momentsOf(messages, index),
  )
  const system: SystemMessage[] = start === '' ? [] : [{ role: 'system', content: start }]
  const rest = messages.flatMap((message, index) => [message, ...remark(recalled[index] ?? '')])
  return [...prompt.filter(({ role }) => role === 'system'), ...system, ...rest]
}

interface SystemMessage {
  role: 'system'
  content: string
}
interface UserMessage {
  role: 'user'
  content: { type: 'text'; text: string }[]
}

function remark(text: string): UserMessage[] {
  return text === '' ? [] : [{ role: 'user', content: [{ type: 'text', text }] }]
}

function partsOf({ content }: PromptMessage): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function textOf(message: PromptMessage): string {
  return partsOf(message)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('\n')
}

/** The moments that a message represents: a prompt, or tool answers. */
function momentsOf(messages: readonly PromptMessage[], index: number): Moment[] {
  const message = messages[index]!
  if (message.role === 'user') return [{ kind: 'prompt', text: shorten(textOf(message)) }]
  if (message.role !== 'tool') return []
  return partsOf(message).flatMap((part) => {
    const { type, toolName, toolCallId, output } = part
    if (type !== 'tool-result' || output === undefined) return []
    const input = inputOf(messages, toolCallId)
    const said = output.value ?? output.reason ?? ''
    const text = shorten(typeof said === 'string' ? said : JSON.stringify(said))
    const call = { name: String(toolName), ...(input === undefined ? {} : { input }) }
    const failed = String(output.type).startsWith('error')
    return failed ? { kind: 'failure', ...call, error: text } : { kind: 'output', ...call, text }
  })
}

function inputOf(messages: readonly PromptMessage[], call: unknown): Record<string, unknown> | undefined {
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    const made = partsOf(message).find(({ type, toolCallId }) => type === 'tool-call' && toolCallId === call)
    if (made === undefined) continue
    return typeof made.input === 'object' && made.input !== null ? { ...made.input } : undefined
  }
  return undefined
}
