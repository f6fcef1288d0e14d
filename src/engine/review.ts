import { z } from 'zod'
import { invalidInput } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { scopeOf } from '../model/layer.ts'
import { DEFAULT_CONFIDENCE, type Memory, REVIEW_TAG } from '../model/memory.ts'
import { heldKey, rejectedKey, repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema } from '../model/schema.ts'
import { canRead, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { withoutFlags } from './guard-input.ts'
import { requireReviewer } from './operator.ts'
import { changedRow, commitAll, notFound } from './write.ts'

export const REVIEW_DECISIONS = ['accept', 'reject'] as const
export const reviewSchema = z.strictObject({
  id: idSchema,
  decision: z.enum(REVIEW_DECISIONS),
  ...claimFields,
  key: keySchema,
})
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number]

/** An operator's verdict on a memory that is held, unverified or up for review: accepted, it becomes the operator's; rejected, it is deleted. */
export async function review(
  core: Core,
  caller: Caller,
  input: z.input<typeof reviewSchema>,
): Promise<{ memory: Memory | null }> {
  const { id, decision, key, ...claim } = parseInput(reviewSchema, input, 'review')
  const reader = resolveClaim(caller, claim)
  requireReviewer(core, caller)
  const stored = (await core.attempt(() => core.storage.get([id])))[0]?.memory
  const held = stored !== undefined && (await canRead(core, reader, stored)) ? stored : null
  const at = core.now()
  const own = repeatKey(key, 'review', caller.identifiers, id, decision)
  const commit = { ...(own === undefined ? {} : { key: own }), by: caller.by, at }
  if (held === null || !isUpForReview(held)) {
    // The answer to this call was lost; it was decided the first time.
    const isDone = own !== undefined && (await commitAll(core, { ...commit, writes: [] })).repeated
    if (isDone && decision === 'reject') return { memory: null }
    if (held === null) throw notFound(id)
    if (isDone) return { memory: held }
    throw invalidInput('id', 'This memory is not up for review.', { id })
  }
  const scope = scopeOf(held.layer, held.identifiers)
  // If these words are said again, this decision is the answer.
  const decided = (...once: string[]) => ({ kind: 'mark' as const, memory: id, once: [heldKey(scope, held), ...once] })
  if (decision === 'reject') {
    const writes = [{ kind: 'delete' as const, id, version: held.version }, decided(rejectedKey(scope, held))]
    await commitAll(core, { ...commit, writes })
    return { memory: null }
  }
  const memory: Memory = {
    ...held,
    metadata: withoutFlags(held.metadata),
    trust: 'operator',
    tags: held.tags.filter((tag) => tag !== REVIEW_TAG),
    confidence: Math.max(held.confidence, DEFAULT_CONFIDENCE),
    active: true,
    updatedAt: at.toISOString(),
    decayedWeeks: 0,
    version: held.version + 1,
  }
  await commitAll(core, { ...commit, writes: [{ kind: 'update', row: changedRow(memory) }, decided()] })
  return { memory }
}

function isUpForReview({ trust, tags }: Memory): boolean {
  return trust === 'quarantined' || trust === 'flagged' || tags.includes(REVIEW_TAG)
}
