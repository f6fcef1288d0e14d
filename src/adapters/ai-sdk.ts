/** Nokosu for the AI SDK (`ai`): tools for any model, and middleware around any model. */
import type { LanguageModelMiddleware, Tool } from 'ai'
import type { z } from 'zod'
import type { OwnMemories } from '../engine/nokosu.ts'
import { type AdapterOptions, Companion } from './companion.ts'
import { withMemory } from './prompt.ts'
import { keep, lookUp, RECALL, REMEMBER } from './tool-descriptions.ts'

export type { AdapterOptions } from './companion.ts'

/** Two tools, `recall` and `remember`: `generateText({ tools: memoryTools(memory.as({ projectId: 'shop' })), ... })`. */
export function memoryTools(memory: OwnMemories, { session }: Pick<AdapterOptions, 'session'> = {}) {
  const recall: Tool<z.output<typeof RECALL.input>, string> = {
    description: RECALL.description,
    inputSchema: RECALL.input,
    execute: (input) => lookUp(memory, session, input),
  }
  const remember: Tool<z.output<typeof REMEMBER.input>, string> = {
    description: REMEMBER.description,
    inputSchema: REMEMBER.input,
    execute: (input) => keep(memory, session, input),
  }
  return { recall, remember }
}

/**
 * `wrapLanguageModel({ model, middleware: memoryMiddleware(memory.as({ projectId: 'shop' })) })`: shows the model the project's memories at the
 * start, and relevant ones at each prompt and tool result; reads its answers for markers. Use one middleware per conversation.
 */
export function memoryMiddleware(memory: OwnMemories, options: AdapterOptions = {}): LanguageModelMiddleware {
  const companion = new Companion(memory, options)
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => ({ ...params, prompt: await withMemory(companion, params.prompt) }),
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate()
      await companion.answered(result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
      return result
    },
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream()
      let text = ''
      const reading = new TransformStream<Chunk, Chunk>({
        transform(chunk, controller) {
          if (chunk.type === 'text-delta') text += chunk.delta
          if (chunk.type === 'text-end') text += '\n'
          controller.enqueue(chunk)
        },
        flush: () => companion.answered(text),
      })
      return { stream: stream.pipeThrough(reading), ...rest }
    },
  }
}

type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>
type Chunk = Streamed['stream'] extends ReadableStream<infer Each> ? Each : never
