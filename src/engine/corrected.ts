import type { Memory } from '../model/memory.ts'

/** A memory whose correction is among the others is not shown beside it: the reader would have to choose. */
export function leaveOutCorrected(memories: readonly Memory[]): {
  kept: Memory[]
  corrected: { id: string; reason: string }[]
} {
  const others = new Map(memories.map((memory) => [memory.id, memory]))
  const kept: Memory[] = []
  const corrected: { id: string; reason: string }[] = []
  for (const memory of memories) {
    const by = memory.links.find(({ relation, memory: id }) => {
      const other = others.get(id)
      return relation === 'contradictedBy' && other !== undefined && !isNewer(memory, other)
    })
    if (by) corrected.push({ id: memory.id, reason: `corrected by ${by.memory}` })
    else kept.push(memory)
  }
  return { kept, corrected }
}

/** Each corrects the other, as in stores that kept both links: the one that was said last holds. */
function isNewer(memory: Memory, other: Memory): boolean {
  const mutual = other.links.some((link) => link.relation === 'contradictedBy' && link.memory === memory.id)
  return mutual && memory.updatedAt >= other.updatedAt
}
