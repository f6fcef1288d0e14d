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
  /** Tokens for the whole block. */
  budget: z.int().min(1).optional(),
  /** The session that is shown this; the showing is recorded. Without it, this is only a preview. */
  session: idSchema.optional(),
  key: keySchema,
}

export const contextSchema = z.union([
  z.strictObject({
    ...common,
    format: z.enum(['operational', 'workflow', 'file']).default('operational'),
    /** For `file`: it goes into a prompt, where imports are not read, so code stays as written (`@Autowired`). */
    inPrompt: z.boolean().optional(),
    /** The session's first prompt or task: if not everything fits, memories that it calls for are included. */
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
  /** The empty string if there is nothing to say. */
  text: z.string(),
  /** In display order, each with the cost of its own line. */
  included: z.array(z.strictObject({ id: idSchema, tokens: z.int() })),
  omitted: z.array(z.strictObject({ id: idSchema, reason: z.string() })),
  /** Tokens of the whole text. */
  tokens: z.int(),
  /** The memories in `included`, in display order. */
  memories: z.array(memorySchema),
  /** How many memories could have been shown. */
  available: z.int(),
})
export type Context = z.output<typeof contextResultSchema>

/** For a union, report the error of the intended branch: that of the format. */
export function parseContext(input: ContextRequest): ParsedContext {
  const [plain, query] = contextSchema.options
  return input?.format === 'query' ? parseInput(query, input, 'context') : parseInput(plain, input, 'context')
}

/** Returned if memory is switched off. */
export function nothing(format: ContextFormat): Context {
  return { format, text: '', included: [], omitted: [], tokens: 0, memories: [], available: 0 }
}
