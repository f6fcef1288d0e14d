import { z } from 'zod'
import { idSchema, text } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { memorySchema } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema, searchSchema } from '../model/schema.ts'

export const CONTEXT_FORMATS = ['operational', 'workflow', 'file', 'query'] as const
export type ContextFormat = (typeof CONTEXT_FORMATS)[number]

const common = {
  ...claimFields,
  /** Tokens of the whole block. */
  budget: z.int().min(1).optional(),
  /** The session that is shown this. With it the showing is recorded; without, someone only looks. */
  session: idSchema.optional(),
  key: keySchema,
}

export const contextSchema = z.union([
  z.strictObject({
    ...common,
    format: z.enum(['operational', 'workflow', 'file']).default('operational'),
    /** Of `file`: it goes into a prompt, where no import is read, so code stays as it was written (`@Autowired`). */
    inPrompt: z.boolean().optional(),
    /** The prompt or task that the session begins with: where not everything fits, what it calls for comes too. */
    for: text(LIMITS.query, 'QUERY_TOO_LONG').optional(),
  }),
  z.strictObject({
    ...common,
    format: z.literal('query'),
    /** What the agent is about to do. */
    query: text(LIMITS.query, 'QUERY_TOO_LONG'),
    threshold: searchSchema.shape.threshold,
  }),
])
export type ContextRequest = z.input<typeof contextSchema>
export type ParsedContext = z.output<typeof contextSchema>

export const contextResultSchema = z.strictObject({
  format: z.enum(CONTEXT_FORMATS),
  /** The empty string when there is nothing to say. */
  text: z.string(),
  /** In the order shown, each with what its own line costs. */
  included: z.array(z.strictObject({ id: idSchema, tokens: z.int() })),
  omitted: z.array(z.strictObject({ id: idSchema, reason: z.string() })),
  /** Of the whole text. */
  tokens: z.int(),
  /** The memories behind `included`, in the order shown. */
  memories: z.array(memorySchema),
  /** Memories that could have been shown. */
  available: z.int(),
})
export type Context = z.output<typeof contextResultSchema>

/** A union reports the branch that was meant: that of the format. */
export function parseContext(input: ContextRequest): ParsedContext {
  const [plain, query] = contextSchema.options
  return input?.format === 'query' ? parseInput(query, input, 'context') : parseInput(plain, input, 'context')
}

/** Where memory is switched off. */
export function nothing(format: ContextFormat): Context {
  return { format, text: '', included: [], omitted: [], tokens: 0, memories: [], available: 0 }
}
