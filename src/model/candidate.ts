import { z } from 'zod'
import { DEFAULT_CATEGORY } from './categories.ts'
import { identifiersSchema, idSchema, importanceSchema, layerSchema, metadataSchema, tierSchema } from './fields.ts'
import { LIMITS } from './limits.ts'
import { categorySchema, clampConfidence, DEFAULT_IMPORTANCE, optionalFields, sourceSchema } from './memory.ts'

export type { Refusal } from './outcome.ts'

/** An observation that capture found. Guard and admit decide what happens to it. */
export const candidateSchema = z.strictObject({
  /** The agent's own words. The guard cleans them and refuses text that is too long for the store. */
  content: z.string().max(LIMITS.candidate),
  category: categorySchema.default(DEFAULT_CATEGORY),
  service: z.string().max(LIMITS.candidate).nullable().default(null),
  source: sourceSchema.default('extraction'),
  tags: z.array(z.string().max(LIMITS.candidate)).max(LIMITS.tags).default([]),
  metadata: metadataSchema.default({}),
  anchor: z.string().max(LIMITS.candidate).nullable().default(null),
  importance: importanceSchema.default(DEFAULT_IMPORTANCE),
  /** The confidence of a new memory, if an operator sets one. */
  confidence: z.number().transform(clampConfidence).optional(),
  /** The layer, if the text itself names one (a suggestion's scope); otherwise the caller decides. */
  layer: layerSchema.optional(),
  identifiers: identifiersSchema.optional(),
  tier: tierSchema.optional(),
  /** What the observation says about an earlier belief: `(was: ...)` or `(confirms: ...)`. */
  declares: z
    .strictObject({
      relation: z.enum(['corrects', 'confirms']),
      text: z.string().max(LIMITS.candidate),
      /** The memory that is meant, if known. It only counts for a session that was shown it. */
      memory: z.exactOptional(idSchema),
    })
    .optional(),
  ...z.object(optionalFields).partial().shape,
})

export type Candidate = z.output<typeof candidateSchema>
export type CandidateInput = z.input<typeof candidateSchema>
