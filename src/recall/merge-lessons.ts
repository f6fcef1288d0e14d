import { isVisible, type Memory } from '../model/memory.ts'

/** The same lesson, however often and in however many tasks it was learned. */
export interface Lesson {
  /** The newest of those that say it. */
  memory: Memory
  times: number
  tasks: number
  /** Those that the newest speaks for. */
  merged: string[]
}

/** Lessons in the same words are one. `groupOf`: where each would be shown; what is shown apart stays apart. */
export function mergeLessons(memories: readonly Memory[], groupOf: (memory: Memory) => string, now: Date): Lesson[] {
  const same = Map.groupBy(memories, (memory) => {
    // What is not shown speaks for nobody.
    if (!isVisible(memory, now)) return memory.id
    return JSON.stringify([groupOf(memory), memory.category, memory.trust === 'flagged', wordsOf(memory.content)])
  })
  return [...same.values()].map((copies) => {
    const [memory, ...others] = copies.toSorted((a, b) => (isNewer(a, b) ? -1 : 1)) as [Memory, ...Memory[]]
    const tasks = new Set(copies.flatMap(({ identifiers: { taskId } }) => taskId ?? [])).size
    return { memory, times: copies.length, tasks, merged: others.map(({ id }) => id) }
  })
}

function isNewer(a: Memory, b: Memory): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** A lesson's words, without what counts the rounds: the third rejection for the same reason is the same lesson. */
export function wordsOf(content: string): string {
  const words = content.replace(/^Rejected \(cycle \d+\)/, 'Rejected').replace(/ after \d+ rejections?(?=:|$)/, '')
  return words
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim()
}
