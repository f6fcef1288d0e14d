import { z } from 'zod'
import { idSchema, serviceSchema } from './fields.ts'
import { categorySchema, type Memory, memorySchema } from './memory.ts'

/** How many secrets of a kind were taken out. */
const redactionSchema = z.strictObject({ rule: z.string(), count: z.int().min(1) })

/** What capture or guard would not pass on, and why. The excerpt is short, and free of secrets and control characters. */
export const refusalSchema = z.strictObject({
  reason: z.string(),
  excerpt: z.string(),
  /** The line of the input it came from, counted from 1, where there is one. */
  line: z.int().min(1).optional(),
})
export type Refusal = z.output<typeof refusalSchema>

/** A memory that lost to a newer observation, with what is left of it. */
const weakenedSchema = z.strictObject({
  id: idSchema,
  content: z.string(),
  confidence: z.number(),
  active: z.boolean(),
})

const about = {
  /** For people; may quote a few words of the memories. */
  reason: z.string(),
  /** The observation, as the guard left it; empty when it was refused before. */
  content: z.string(),
  category: categorySchema,
  service: serviceSchema,
  redactions: z.array(redactionSchema),
  flags: z.array(z.string()),
}

/** What has become of words that were held for review, where they are said again. */
const reviewStateSchema = z.enum(['held', 'accepted', 'rejected', 'removed'])
export type ReviewState = z.output<typeof reviewStateSchema>

export const outcomeSchema = z.discriminatedUnion('kind', [
  /** New. */
  z.strictObject({ kind: z.literal('insert'), ...about, memory: memorySchema }),
  /** New, and it corrects what is in `weakened`. */
  z.strictObject({ kind: z.literal('contradict'), ...about, memory: memorySchema, weakened: z.array(weakenedSchema) }),
  /** Known: the memory that said it before is stronger now. */
  z.strictObject({ kind: z.literal('reinforce'), ...about, memory: memorySchema, weakened: z.array(weakenedSchema) }),
  /**
   * Known, and nothing changed: this session has said it before, or it was held for review (`review`). `memory` is null where it was
   * deleted since, or may not be read.
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

/** The memories that outcomes came to, where there are any. */
export function memoriesOf(outcomes: readonly Outcome[]): Memory[] {
  return outcomes.flatMap((outcome) => ('memory' in outcome ? (outcome.memory ?? []) : []))
}

/** What an addition came to. */
export const addResultSchema = z.strictObject({
  /** The memory that says it now: a new one, or the one that said it before. */
  memory: memorySchema,
  /** Whether the embedding model had to be asked. */
  embeddingGenerated: z.boolean(),
  /** `insert`: new. `contradict`: new, and it corrects others. `reinforce`: known, and surer now. `duplicate`: known, nothing changed. */
  outcome: z.enum(['insert', 'contradict', 'reinforce', 'duplicate']),
  reason: about.reason,
  /** Memories that it corrects. */
  weakened: z.array(weakenedSchema),
  redactions: about.redactions,
  flags: about.flags,
  /** Of a text that was held for review before: what became of that. */
  review: reviewStateSchema.optional(),
})
export type AddResult = z.output<typeof addResultSchema>
