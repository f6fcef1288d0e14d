import { z } from 'zod'
import { identifiersSchema, idSchema, layerSchema, tierSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { sourceSchema } from '../../model/memory.ts'
import { keySchema } from '../../model/schema.ts'

/** Where and for whom something is remembered. */
export const rememberTargetSchema = z.strictObject({
  identifiers: identifiersSchema.optional(),
  /** Overrides the candidate's layer. Default: its own layer, otherwise the agent's for its own learnings, otherwise the project's. */
  layer: layerSchema.optional(),
  /** The run that it comes from: counted once per memory, so that capturing it again does no harm. */
  session: idSchema.optional(),
  /** Memories that the run may have read, without evidence that it did: repeating one confirms nothing. */
  offered: z.array(idSchema).max(LIMITS.pageLimit).optional(),
  tier: tierSchema.optional(),
  source: sourceSchema.optional(),
  /** Decides without storing. */
  dryRun: z.boolean().optional(),
  key: keySchema,
})
export type RememberTarget = z.input<typeof rememberTargetSchema>
export type ParsedTarget = z.output<typeof rememberTargetSchema>

/** Who contradicts: an agent is one voice across sessions; without a name, each session counts. */
export function opponentOf({ identifiers: { agentId }, session }: Target): string | undefined {
  return agentId === undefined ? session : `agent:${agentId}`
}

/** The owner after resolving. */
export type Target = ParsedTarget & {
  identifiers: Identifiers
  private?: boolean
  /** The texts of a person's list that is stored in parts. */
  list?: Set<string>
}
