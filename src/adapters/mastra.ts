/**
 * Nokosu for Mastra (`@mastra/core`): tools, and a processor that recalls and captures. Both are plain objects in the shape that Mastra
 * expects, so this file does not import it; `test/examples` checks them against its types and in its runtime.
 */
import type { OwnMemories } from '../engine/nokosu.ts'
import { type AdapterOptions, Companion } from './companion.ts'
import { type PromptMessage, withMemory } from './prompt.ts'
import { keep, lookUp, RECALL, REMEMBER } from './tool-descriptions.ts'

export type { AdapterOptions } from './companion.ts'

/** Two tools, `recall` and `remember`: `new Agent({ tools: memoryTools(memory.as({ projectId: 'shop' })), ... })`. */
export function memoryTools(memory: OwnMemories, { session }: Pick<AdapterOptions, 'session'> = {}) {
  return {
    recall: {
      id: RECALL.name,
      description: RECALL.description,
      inputSchema: RECALL.input,
      execute: (input: { query: string }) => lookUp(memory, session, RECALL.input.parse(input)),
    },
    remember: {
      id: REMEMBER.name,
      description: REMEMBER.description,
      inputSchema: REMEMBER.input,
      execute: (input: { observation: string }) => keep(memory, session, REMEMBER.input.parse(input)),
    },
  }
}

interface Step {
  /** For one run of the agent; Mastra keeps it between steps. */
  state: Record<string, unknown>
}

/**
 * `const nokosu = memoryProcessor(...)`, then `new Agent({ inputProcessors: [nokosu], outputProcessors: [nokosu], ... })`: shows the agent
 * the project's memories at the start, and relevant ones at each prompt and tool result; reads its answers for markers.
 */
export function memoryProcessor(memory: OwnMemories, options: AdapterOptions = {}) {
  const companionOf = ({ state }: Step) => {
    const known = state.nokosu
    if (known instanceof Companion) return known
    const companion = new Companion(memory, options)
    state.nokosu = companion
    return companion
  }
  return {
    id: 'nokosu' as const,
    /** Memories are only added to the prompt sent to the model; the conversation that Mastra stores is unchanged. */
    async processLLMRequest<Message extends PromptMessage>(step: Step & { prompt: readonly Message[] }) {
      return { prompt: (await withMemory(companionOf(step), step.prompt)) as Message[] }
    },
    async processOutputStep<Messages>({ messages, text = '', ...step }: Step & { messages: Messages; text?: string }) {
      await companionOf(step).answered(text)
      return messages
    },
  }
}
