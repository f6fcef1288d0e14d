import { isVisible, type Memory } from '../model/memory.ts'
import { wordsOf } from './merge-lessons.ts'

/** From so many sections on, a rejection is no longer a matter of one of them. */
const RECURRING = 2

/** Whether tasks of several sections were rejected in the same words: then it is the project's lesson. */
export function acrossSections(memories: readonly Memory[], now: Date): (memory: Memory) => boolean {
  const sections = new Map<string, Set<string>>()
  for (const memory of memories) {
    const { sectionId } = memory.identifiers
    if (!isTaskRejection(memory) || sectionId === undefined || !isVisible(memory, now)) continue
    const words = wordsOf(memory.content)
    sections.set(words, (sections.get(words) ?? new Set()).add(sectionId))
  }
  return (memory) => isTaskRejection(memory) && (sections.get(wordsOf(memory.content))?.size ?? 0) >= RECURRING
}

function isTaskRejection({ layer, category }: Memory): boolean {
  return layer === 'task' && category === 'rejection'
}
