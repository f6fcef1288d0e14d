import { z } from 'zod'
import { DEFAULT_CATEGORY } from './categories.ts'
import { identifiersSchema, idSchema, importanceSchema, layerSchema, metadataSchema, tierSchema } from './fields.ts'
import { LIMITS } from './limits.ts'
import { categorySchema, clampConfidence, DEFAULT_IMPORTANCE, optionalFields, sourceSchema } from './memory.ts'

export type { Refusal } from './outcome.ts'

/** What capture found and would like to have remembered. Guard and admit decide what becomes of it. */
export const candidateSchema = z.strictObject({
  /** As the agent said it: the guard cleans it, and refuses what is too long for the store. */
  content: z.string().max(LIMITS.candidate),
  category: categorySchema.default(DEFAULT_CATEGORY),
  service: z.string().max(LIMITS.candidate).nullable().default(null),
  source: sourceSchema.default('extraction'),
  tags: z.array(z.string().max(LIMITS.candidate)).max(LIMITS.tags).default([]),
  metadata: metadataSchema.default({}),
  anchor: z.string().max(LIMITS.candidate).nullable().default(null),
  importance: importanceSchema.default(DEFAULT_IMPORTANCE),
  /** Of a new memory, where an operator says how sure it is. */
  confidence: z.number().transform(clampConfidence).optional(),
  /** Where it should land, when the text itself says so (a suggestion's scope); otherwise the caller decides. */
  layer: layerSchema.optional(),
  identifiers: identifiersSchema.optional(),
  tier: tierSchema.optional(),
  /** What the observation declares about an earlier belief: `(was: ...)` or `(confirms: ...)`. */
  declares: z
    .strictObject({
      relation: z.enum(['corrects', 'confirms']),
      text: z.string().max(LIMITS.candidate),
      /** The memory itself, where it is known which one is meant. It counts only for a session that was shown it. */
      memory: z.exactOptional(idSchema),
    })
    .optional(),
  ...z.object(optionalFields).partial().shape,
})

export type Candidate = z.output<typeof candidateSchema>
export type CandidateInput = z.input<typeof candidateSchema>
