import type { Memory } from '../model/memory.ts'

/** A memory whose correction is among the others is not shown beside it: the reader would have to choose. */
export function leaveOutCorrected(memories: readonly Memory[]): {
  kept: Memory[]
  corrected: { id: string; reason: string }[]
} {
  const ids = new Set(memories.map(({ id }) => id))
  const kept: Memory[] = []
  const corrected: { id: string; reason: string }[] = []
  for (const memory of memories) {
    const by = memory.links.find((link) => link.relation === 'contradictedBy' && ids.has(link.memory))
    if (by) corrected.push({ id: memory.id, reason: `corrected by ${by.memory}` })
    else kept.push(memory)
  }
  return { kept, corrected }
}
