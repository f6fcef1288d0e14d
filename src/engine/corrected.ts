import { decayed } from '../lifecycle/decay.ts'
import type { Identifiers } from '../model/layer.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import type { Correction } from '../recall/corrections.ts'
import { readerOf } from './claim.ts'
import type { Core } from './core.ts'

/** A memory whose correction is active is not shown: the reader would have to choose. */
export function leaveOutCorrected(
  memories: readonly Memory[],
  active: readonly Memory[] = memories,
): { kept: Memory[]; corrected: Correction[] } {
  const corrections = new Map(active.map((memory) => [memory.id, memory]))
  const kept: Memory[] = []
  const corrected: Correction[] = []
  for (const memory of memories) {
    const by = correctionsOf(memory).find((id) => {
      const other = corrections.get(id)
      return other !== undefined && !isNewer(memory, other)
    })
    if (by === undefined) kept.push(memory)
    else corrected.push({ id: memory.id, by })
  }
  return { kept, corrected }
}

/** The same for memories found by a search, whose corrections it may not have found: those are read, all at once. */
export async function readCorrected(
  core: Core,
  who: Identifiers | null,
  now: Date,
  found: readonly Memory[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(found.flatMap(correctionsOf))
  for (const { id } of found) ids.delete(id)
  const others = ids.size === 0 ? [] : await core.attempt(() => core.storage.get([...ids]))
  const mayRead = others.length === 0 ? () => false : await readerOf(core, who)
  const readable = others.map(({ memory }) => memory).filter(mayRead)
  const active = [...found, ...readable]
    .map((memory) => decayed(memory, now))
    .filter((memory) => isVisible(memory, now))
  return new Map(leaveOutCorrected(found, active).corrected.map(({ id, by }) => [id, by]))
}

function correctionsOf({ links }: Memory): string[] {
  return links.flatMap(({ relation, memory }) => (relation === 'contradictedBy' ? [memory] : []))
}

/** Each corrects the other, as in stores that kept both links: the one that was said last holds. */
function isNewer(memory: Memory, other: Memory): boolean {
  const mutual = correctionsOf(other).includes(memory.id)
  return mutual && memory.updatedAt >= other.updatedAt
}
