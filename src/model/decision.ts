import { z } from 'zod'
import { countSchema, exactTimeSchema, idSchema } from './fields.ts'
import { memorySchema } from './memory.ts'

/**
 * What was decided about a memory. `contradicted` and `corrected` (declared) belong to the memory that loses,
 * `contradicts` and `corrects` to the one that opposes it. `review`: put up for an operator to review.
 */
const DECISION_KINDS = [
  'reinforced',
  'confirmed',
  'contradicted',
  'corrected',
  'contradicts',
  'corrects',
  'settled',
  'retracted',
  'review',
  'undone',
] as const
export type DecisionKind = (typeof DECISION_KINDS)[number]

/** An operator's verdict on two memories: they say the same, both are true, or the first replaces the second. */
export const SETTLEMENTS = ['same', 'both-true', 'replaces'] as const
export type Settlement = (typeof SETTLEMENTS)[number]
/** `replaced`: recorded on the second memory, which was replaced. */
export type SettledAs = Settlement | 'replaced'

export const decisionSchema = z.strictObject({
  kind: z.enum(DECISION_KINDS),
  at: exactTimeSchema,
  by: z.string(),
  /** The memory version this decision led to. */
  version: countSchema,
  reason: z.string(),
  /** The relation model's score; null if it was not asked. */
  score: z.number().nullable(),
  /** The confidence before and after. */
  from: z.number(),
  to: z.number(),
  /** What the memory said at the time. */
  content: z.string(),
  /**
   * What it was compared with: another memory (content is null if it was deleted or the caller may not read it), or
   * text that was never stored.
   */
  other: z.strictObject({ id: idSchema.nullable(), content: z.string().nullable() }).nullable(),
  /** Whether it has been undone since. */
  undone: z.boolean(),
})
export type Decided = z.output<typeof decisionSchema>

export const decisionsSchema = z.strictObject({
  /** Oldest first. */
  decisions: z.array(decisionSchema),
  /** The memory that is shown instead of this one, with its content; null if this one is shown, or neither is. */
  hiddenBy: z.strictObject({ id: idSchema, content: z.string() }).nullable(),
  /** Who says what, if the memory is disputed and neither side is clearly stronger. */
  disputed: z.string().nullable(),
})
export type Decisions = z.output<typeof decisionsSchema>

const changedSchema = z.strictObject({
  memory: memorySchema,
  /** Other memories that changed as well. */
  others: z.array(memorySchema),
})

export const undoneSchema = changedSchema.extend({ undone: z.array(decisionSchema) })
export type Undone = z.output<typeof undoneSchema>

export const settledSchema = z.strictObject({ memories: z.array(memorySchema) })

/** A run that was shown a memory. */
const readerSchema = z.strictObject({
  session: idSchema,
  agent: z.string().nullable(),
  at: exactTimeSchema,
  /** Still running, and will be told at its next moment. */
  running: z.boolean(),
})
export const retractedSchema = changedSchema.extend({
  /** Latest first. */
  runs: z.array(readerSchema),
  /** Memories that depend on it and are now up for review. */
  review: z.array(memorySchema),
})
export type Retracted = z.output<typeof retractedSchema>
