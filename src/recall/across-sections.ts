import { isVisible, type Memory } from '../model/memory.ts'
import { isTaskRejection, sayings } from './merge-lessons.ts'

/** From this many sections on, a rejection concerns the whole project. */
const RECURRING = 2

/** Whether tasks of several sections were rejected for the same reason, which makes it a lesson of the project. */
export function acrossSections(memories: readonly Memory[], now: Date): (memory: Memory) => boolean {
  const sayingOf = sayings(memories)
  const sections = new Map<string, Set<string>>()
  for (const memory of memories) {
    const { sectionId } = memory.identifiers
    if (!isTaskRejection(memory) || sectionId === undefined || !isVisible(memory, now)) continue
    const said = sayingOf(memory)
    sections.set(said, (sections.get(said) ?? new Set()).add(sectionId))
  }
  return (memory) => isTaskRejection(memory) && (sections.get(sayingOf(memory))?.size ?? 0) >= RECURRING
}
