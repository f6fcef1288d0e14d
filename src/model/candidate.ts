import { z } from 'zod'
import {
  exactTimeSchema,
  identifiersSchema,
  importanceSchema,
  layerSchema,
  metadataSchema,
  serviceSchema,
  tagSchema,
  text,
  tierSchema,
  timeSchema,
} from './fields.ts'
import { LIMITS } from './limits.ts'
import { categorySchema, DEFAULT_IMPORTANCE, sourceSchema, threadSchema } from './memory.ts'

export type { Refusal } from './outcome.ts'

/** What capture found and would like to have remembered. Guard and admit decide what becomes of it. */
export const candidateSchema = z.strictObject({
  /** Bounded, so that one line cannot fill the process; the store's own limit refuses earlier. */
  content: text(LIMITS.candidate),
  category: categorySchema,
  service: serviceSchema.default(null),
  source: sourceSchema.default('extraction'),
  tags: z.array(tagSchema).max(LIMITS.tags).default([]),
  metadata: metadataSchema.default({}),
  anchor: text(LIMITS.anchor).nullable().default(null),
  importance: importanceSchema.default(DEFAULT_IMPORTANCE),
  /** Where it should land, when the text itself says so (a suggestion's scope); otherwise the caller decides. */
  layer: layerSchema.optional(),
  identifiers: identifiersSchema.optional(),
  tier: tierSchema.optional(),
  /** What the observation declares about an earlier belief: `(was: ...)` or `(confirms: ...)`. */
  declares: z.strictObject({ relation: z.enum(['corrects', 'confirms']), text: text(LIMITS.candidate) }).optional(),
  expiresAt: timeSchema.nullable().optional(),
  thread: threadSchema.nullable().optional(),
  occurredAt: exactTimeSchema.nullable().optional(),
})

export type Candidate = z.output<typeof candidateSchema>
export type CandidateInput = z.input<typeof candidateSchema>
