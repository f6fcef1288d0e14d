import { z } from 'zod'
import type { OwnMemories } from '../engine/nokosu.ts'
import { CATEGORIES } from '../model/categories.ts'

/** The two tools for every framework: the model can search memories and record new ones. */
export const RECALL = {
  name: 'recall',
  description: 'Searches what earlier runs learned about this project. Use it before you start.',
  input: z.object({ query: z.string().describe('What you are about to do, or want to know') }),
} as const

export const REMEMBER = {
  name: 'remember',
  description: 'Saves one observation for the next run: a fact that was hard to find and will still be true next week.',
  input: z.object({
    observation: z.string().describe('One sentence that can be understood without this conversation'),
    category: z.enum(CATEGORIES).default('learning'),
    service: z.string().nullable().default(null).describe('The service it is about, or null'),
  }),
} as const

export async function lookUp(
  memory: OwnMemories,
  session: string | undefined,
  { query }: z.output<typeof RECALL.input>,
) {
  const { text } = await memory.context({ format: 'query', query, ...(session === undefined ? {} : { session }) })
  return text || 'Nothing is known about this.'
}

export async function keep(
  memory: OwnMemories,
  session: string | undefined,
  { observation, category, service }: z.output<typeof REMEMBER.input>,
) {
  const candidate = { content: observation, category, service }
  const [outcome] = await memory.remember(candidate, session === undefined ? {} : { session })
  return `${outcome?.kind}: ${outcome?.reason}`
}
