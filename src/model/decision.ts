import { z } from 'zod'
import { countSchema, exactTimeSchema, idSchema } from './fields.ts'
import { memorySchema } from './memory.ts'

/**
 * What is decided about a memory. `contradicted` and `corrected` (declared) are of the memory that loses, `contradicts` and `corrects` of the
 * one that speaks against it. `review`: put up for an operator to look at.
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

/** What an operator says of two memories: one thing said twice, two things that are both true, or that the first takes the second's place. */
export const SETTLEMENTS = ['same', 'both-true', 'replaces'] as const
export type Settlement = (typeof SETTLEMENTS)[number]
/** `replaced`: how the second keeps that it was replaced. */
export type SettledAs = Settlement | 'replaced'

export const decisionSchema = z.strictObject({
  kind: z.enum(DECISION_KINDS),
  at: exactTimeSchema,
  by: z.string(),
  /** The version of the memory that it led to. */
  version: countSchema,
  reason: z.string(),
  /** How sure the relation model was; null where it was not asked. */
  score: z.number().nullable(),
  /** The confidence before and after. */
  from: z.number(),
  to: z.number(),
  /** What the memory said then. */
  content: z.string(),
  /** What it was compared with: another memory (its words are null where it is gone, or not the caller's to read), or words that became none. */
  other: z.strictObject({ id: idSchema.nullable(), content: z.string().nullable() }).nullable(),
  /** Whether it was undone since. */
  undone: z.boolean(),
})
export type Decided = z.output<typeof decisionSchema>

export const decisionsSchema = z.strictObject({
  /** Oldest first. */
  decisions: z.array(decisionSchema),
  /** The memory that is shown in its place, and what that says; null where it is shown itself, or not at all. */
  hiddenBy: z.strictObject({ id: idSchema, content: z.string() }).nullable(),
  /** Who says it and who says otherwise, where neither is clearly stronger. */
  disputed: z.string().nullable(),
})
export type Decisions = z.output<typeof decisionsSchema>

const changedSchema = z.strictObject({
  memory: memorySchema,
  /** Other memories that changed with it. */
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
  /** It goes on, and is told at its next moment. */
  running: z.boolean(),
})
export const retractedSchema = changedSchema.extend({
  /** The latest first. */
  runs: z.array(readerSchema),
  /** What rests on it, and waits for review now. */
  review: z.array(memorySchema),
})
export type Retracted = z.output<typeof retractedSchema>
