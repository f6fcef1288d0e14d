import { z } from 'zod'
import { idSchema, serviceSchema } from './fields.ts'
import { categorySchema, type Memory, memorySchema } from './memory.ts'

/** How many secrets of a kind were removed. */
const redactionSchema = z.strictObject({ rule: z.string(), count: z.int().min(1) })

/** What capture or guard refused, and why. The excerpt is short, without secrets or control characters. */
export const refusalSchema = z.strictObject({
  reason: z.string(),
  excerpt: z.string(),
  /** The line of the input it came from, counted from 1, if any. */
  line: z.int().min(1).optional(),
})
export type Refusal = z.output<typeof refusalSchema>

/** A memory weakened by a newer observation, with its remaining confidence. */
const weakenedSchema = z.strictObject({
  id: idSchema,
  content: z.string(),
  confidence: z.number(),
  active: z.boolean(),
})

const about = {
  /** For people; may quote a few words of the memories. */
  reason: z.string(),
  /** The observation as the guard returned it; empty if it was refused earlier. */
  content: z.string(),
  category: categorySchema,
  service: serviceSchema,
  redactions: z.array(redactionSchema),
  flags: z.array(z.string()),
}

/** The state of text that was held for review and is now submitted again. */
const reviewStateSchema = z.enum(['held', 'accepted', 'rejected', 'removed'])
export type ReviewState = z.output<typeof reviewStateSchema>

export const outcomeSchema = z.discriminatedUnion('kind', [
  /** A new memory. */
  z.strictObject({ kind: z.literal('insert'), ...about, memory: memorySchema }),
  /** A new memory that corrects those in `weakened`. */
  z.strictObject({ kind: z.literal('contradict'), ...about, memory: memorySchema, weakened: z.array(weakenedSchema) }),
  /** Already known: the existing memory was reinforced. */
  z.strictObject({ kind: z.literal('reinforce'), ...about, memory: memorySchema, weakened: z.array(weakenedSchema) }),
  /**
   * Already known, and nothing changed: this session recorded it before, or it was held for review (`review`). `memory`
   * is null if it has been deleted or the caller may not read it.
   */
  z.strictObject({
    kind: z.literal('duplicate'),
    ...about,
    memory: memorySchema.nullable(),
    review: reviewStateSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('refuse'), ...about }),
])
export type Outcome = z.output<typeof outcomeSchema>

/** The distinct memories of these outcomes. */
export function memoriesOf(outcomes: readonly Outcome[]): Memory[] {
  return outcomes.flatMap((outcome) => ('memory' in outcome ? (outcome.memory ?? []) : []))
}

/** The result of adding a memory. */
export const addResultSchema = z.strictObject({
  /** The memory that now holds this: a new one, or the existing one. */
  memory: memorySchema,
  /** Whether the embedding model was called. */
  embeddingGenerated: z.boolean(),
  /**
   * `insert`: new. `contradict`: new, and it corrects others. `reinforce`: known, and now more certain. `duplicate`:
   * known, nothing changed.
   */
  outcome: z.enum(['insert', 'contradict', 'reinforce', 'duplicate']),
  reason: about.reason,
  /** The memories it corrects. */
  weakened: z.array(weakenedSchema),
  redactions: about.redactions,
  flags: about.flags,
  /** Set if the same text was held for review before: its review state. */
  review: reviewStateSchema.optional(),
})
export type AddResult = z.output<typeof addResultSchema>
