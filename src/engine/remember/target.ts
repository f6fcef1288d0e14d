import { z } from 'zod'
import { identifiersSchema, idSchema, layerSchema, tierSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { sourceSchema } from '../../model/memory.ts'
import { keySchema } from '../../model/schema.ts'

/** Where and for whom something is remembered. */
export const rememberTargetSchema = z.strictObject({
  identifiers: identifiersSchema.optional(),
  /** Overrides where a candidate lands. Default: its own layer, else the agent's for what is said to be a learning of its own, else the project's. */
  layer: layerSchema.optional(),
  /** The run it comes from: counted for a memory once, and captured again without harm. */
  session: idSchema.optional(),
  /** Memories that the run may have read, though nothing shows that it has: that it repeats one confirms nothing. */
  offered: z.array(idSchema).max(LIMITS.pageLimit).optional(),
  tier: tierSchema.optional(),
  source: sourceSchema.optional(),
  /** Only decides; nothing is stored. */
  dryRun: z.boolean().optional(),
  key: keySchema,
})
export type RememberTarget = z.input<typeof rememberTargetSchema>
export type ParsedTarget = z.output<typeof rememberTargetSchema>

/** Who contradicts: an agent is one voice however many sessions it has; without a name the session is. */
export function opponentOf({ identifiers: { agentId }, session }: Target): string | undefined {
  return agentId === undefined ? session : `agent:${agentId}`
}

/** With whom it lands, known for sure. */
export type Target = ParsedTarget & { identifiers: Identifiers; private?: boolean }
