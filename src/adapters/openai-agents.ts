/** Nokosu for the OpenAI Agents SDK (`@openai/agents`): tools, and options for `run` that recall and capture. */
import { type AgentInputItem, type CallModelInputFilter, tool } from '@openai/agents-core'
import type { OwnMemories } from '../engine/nokosu.ts'
import type { Moment } from '../model/moment.ts'
import { type AdapterOptions, Companion, shorten } from './companion.ts'
import { keep, lookUp, RECALL, REMEMBER } from './tool-descriptions.ts'

export type { AdapterOptions } from './companion.ts'

/** Two tools, `recall` and `remember`: `new Agent({ tools: memoryTools(memory.as({ projectId: 'shop' })), ... })`. */
export function memoryTools(memory: OwnMemories, { session }: Pick<AdapterOptions, 'session'> = {}) {
  return [
    tool({
      name: RECALL.name,
      description: RECALL.description,
      parameters: RECALL.input,
      execute: (input) => lookUp(memory, session, input),
    }),
    tool({
      name: REMEMBER.name,
      description: REMEMBER.description,
      parameters: REMEMBER.input,
      execute: (input) => keep(memory, session, input),
    }),
  ]
}

/**
 * `const nokosu = withMemory(memory.as({ projectId: 'shop' }))`, then `run(agent, prompt, nokosu)`, or `new Runner(nokosu)`: shows agents
 * the project's memories at the start, and relevant ones at each prompt and tool result; reads their answers for markers. Call it once per conversation.
 */
export function withMemory(memory: OwnMemories, options: AdapterOptions = {}) {
  const companion = new Companion(memory, options)
  /** How many items of the conversation have been read for markers. */
  let read = 0
  const filter: CallModelInputFilter = async ({ modelData: { input, instructions } }) => {
    const answered = input.findLastIndex(isAnswer)
    const start = await companion.start(textOf(input.find(isPrompt)))
    const recalled = await companion.recall(
      input.length,
      (index) => index > answered,
      (index) => momentsOf(input, index),
    )
    for (const said of input.slice(read, answered + 1).filter(isAnswer)) await companion.answered(textOf(said))
    read = Math.max(read, answered + 1)
    // In the instructions, not in the input: the SDK stores the input as part of the conversation.
    const parts = [instructions ?? '', start, ...recalled].filter((part) => part !== '')
    return { input, ...(parts.length === 0 ? {} : { instructions: parts.join('\n\n') }) }
  }
  return {
    callModelInputFilter: filter,
    /** Reads the final answer, after which the model is not called again: `await nokosu.answered(result.finalOutput)`. */
    answered: (output: unknown): Promise<void> =>
      companion.answered(typeof output === 'string' ? output : JSON.stringify(output ?? '')),
  }
}

function isPrompt(item: AgentInputItem): boolean {
  return 'role' in item && item.role === 'user'
}

function isAnswer(item: AgentInputItem): boolean {
  return 'role' in item && item.role === 'assistant'
}

function textOf(item: AgentInputItem | undefined): string {
  if (item === undefined || !('content' in item) || item.content === undefined) return ''
  const { content } = item
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('\n')
}

/** The moment that an item represents: a prompt, or a tool's answer. */
function momentsOf(items: readonly AgentInputItem[], index: number): Moment[] {
  const item = items[index]!
  if (isPrompt(item)) return [{ kind: 'prompt', text: shorten(textOf(item)) }]
  if (item.type !== 'function_call_result') return []
  const call = items.find((other) => other.type === 'function_call' && other.callId === item.callId)
  const input = call?.type === 'function_call' ? call.arguments : undefined
  const { output, name } = item
  const said = typeof output === 'object' && 'text' in output ? output.text : output
  const text = shorten(typeof said === 'string' ? said : JSON.stringify(said))
  // For a tool that threw, the SDK reports a fixed sentence without the error. A tool that returns its error counts as output.
  return [{ kind: 'output', name, ...(input === undefined ? {} : { input: shorten(input) }), text }]
}
