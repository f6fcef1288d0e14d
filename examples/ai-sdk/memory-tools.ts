// Two tools for the AI SDK: the model looks things up, and leaves behind what it found out.
import { tool } from 'ai'
import { CATEGORIES, type OwnMemories } from 'nokosu'
import { z } from 'zod'

export function memoryTools(memory: OwnMemories, session: string) {
  return {
    recall: tool({
      description: 'Searches what earlier runs learned about this project. Use it before you start.',
      inputSchema: z.object({ query: z.string().describe('What you are about to do, or want to know') }),
      async execute({ query }) {
        const { text } = await memory.context({ format: 'query', query, session })
        return text || 'Nothing is known about this.'
      },
    }),
    remember: tool({
      description:
        'Keeps one observation for the next run: a fact that was hard to find out and will still hold next week.',
      inputSchema: z.object({
        observation: z.string().describe('One sentence that can be understood without this conversation'),
        category: z.enum(CATEGORIES).default('learning'),
        service: z.string().nullable().default(null).describe('The service it is about, or null'),
      }),
      async execute({ observation, category, service }) {
        const [outcome] = await memory.remember([{ content: observation, category, service }], { session })
        return `${outcome?.kind}: ${outcome?.reason}`
      },
    }),
  }
}
