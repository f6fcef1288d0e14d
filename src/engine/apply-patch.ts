import { isRetracted, withoutBelief } from '../lifecycle/decisions.ts'
import { invalidInput } from '../model/errors.ts'
import { SHARED_NOTE } from '../model/landing.ts'
import { ACTIVE_CONFIDENCE, type JsonObject, type Memory } from '../model/memory.ts'

/** The memory with a caller's changes applied. Changed texts pass the guard. */
export async function applyPatch(
  current: Memory,
  patch: Partial<Memory>,
  now: Date,
  guard: (memory: Memory) => Promise<Partial<Memory>>,
): Promise<Memory> {
  const { metadata, version: _, ...fields } = patch
  const merged: Memory = {
    ...current,
    ...fields,
    metadata: metadata ? mergeMetadata(current.metadata, withoutBelief(metadata)) : current.metadata,
    version: current.version + 1,
    updatedAt: now.toISOString(),
    decayedWeeks: 0,
  }
  const textual = (['content', 'service', 'tags', 'metadata', 'anchor'] as const).some(
    (key) => patch[key] !== undefined,
  )
  const memory = textual ? { ...merged, ...(await guard(merged)) } : merged
  if (patch.confidence !== undefined) memory.active = patch.active ?? patch.confidence >= ACTIVE_CONFIDENCE
  if (memory.active && memory.confidence < ACTIVE_CONFIDENCE) {
    throw invalidInput(
      'active',
      `Invalid active: a confidence of ${memory.confidence} is below ${ACTIVE_CONFIDENCE}; raise it to reactivate the memory.`,
    )
  }
  if (memory.active && isRetracted(current)) {
    throw invalidInput('active', 'An operator has retracted this memory. Undo that first: nokosu undo.', {
      id: current.id,
    })
  }
  return memory
}

/** Merges key by key. A note can be withdrawn from other agents but not shared with them: where it was written decides that. */
function mergeMetadata(current: JsonObject, { [SHARED_NOTE]: shared, ...given }: JsonObject): JsonObject {
  const isTakenBack = shared !== undefined && shared !== true && SHARED_NOTE in current
  return { ...current, ...given, ...(isTakenBack ? { [SHARED_NOTE]: false } : {}) }
}
