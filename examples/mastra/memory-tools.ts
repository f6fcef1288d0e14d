// Two tools for Mastra: the agent looks things up, and leaves behind what it found out.
import { createTool } from '@mastra/core/tools'
import { CATEGORIES, type OwnMemories } from 'nokosu'
import { z } from 'zod'

export function memoryTools(memory: OwnMemories, session: string) {
  const recall = createTool({
    id: 'recall',
    description: 'Searches what earlier runs learned about this project. Use it before you start.',
    inputSchema: z.object({ query: z.string() }),
    outputSchema: z.object({ known: z.string() }),
    execute: async ({ query }) => {
      const { text } = await memory.context({ format: 'query', query, session })
      return { known: text }
    },
  })
  const remember = createTool({
    id: 'remember',
    description:
      'Keeps one observation for the next run: a fact that was hard to find out and will still hold next week.',
    inputSchema: z.object({
      observation: z.string(),
      category: z.enum(CATEGORIES).default('learning'),
      service: z.string().nullable().default(null),
    }),
    outputSchema: z.object({ became: z.string() }),
    execute: async ({ observation, category, service }) => {
      const [outcome] = await memory.remember([{ content: observation, category, service }], { session })
      return { became: `${outcome?.kind}: ${outcome?.reason}` }
    },
  })
  return { recall, remember }
}
