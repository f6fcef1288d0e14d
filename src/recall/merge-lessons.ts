import { voicesOf } from '../lifecycle/belief.ts'
import { isVisible, type Memory } from '../model/memory.ts'

/** A lesson, merged from all tasks that learned it. */
export interface Lesson {
  /** The newest memory that states it. */
  memory: Memory
  times: number
  tasks: number
  /** When it was last learned. */
  last: string
  /** The memories merged into the newest. */
  merged: string[]
}

/** Merges lessons that say the same. `groupOf` is where each is shown; different groups are not merged. */
export function mergeLessons(memories: readonly Memory[], groupOf: (memory: Memory) => string, now: Date): Lesson[] {
  const sayingOf = sayings(memories)
  const same = Map.groupBy(memories, (memory) => {
    // A hidden memory is not merged.
    if (!isVisible(memory, now)) return memory.id
    return JSON.stringify([groupOf(memory), memory.category, memory.trust === 'flagged', sayingOf(memory)])
  })
  return [...same.values()].map((copies) => {
    const [memory, ...others] = copies.toSorted((a, b) => (isNewer(a, b) ? -1 : 1)) as [Memory, ...Memory[]]
    const tasks = new Set(copies.flatMap(({ identifiers: { taskId } }) => taskId ?? [])).size
    const said = copies.map(saidOf)
    return {
      memory,
      times: said.reduce((sum, { times }) => sum + times, 0),
      tasks,
      last: said
        .map(({ at }) => at)
        .toSorted()
        .at(-1)!,
      merged: others.map(({ id }) => id),
    }
  })
}

/** From this many tasks on, a rejection is a general lesson. */
const RECURRING = 2

/** The lessons of several tasks, each in its latest wording. */
export function recurringLessons(memories: readonly Memory[], now: Date): Memory[] {
  return mergeLessons(memories, () => '', now)
    .filter(({ memory, tasks }) => tasks >= RECURRING && isVisible(memory, now))
    .map(({ memory }) => ({ ...memory, content: withoutRound(memory.content) }))
}

/**
 * A key for what a memory says, equal for all that say it: in the same words, or in others that were found to agree.
 */
export function sayings(memories: readonly Memory[]): (memory: Memory) => string {
  const ids = new Map(memories.map(({ id, content }) => [id, wordsOf(content)]))
  const parents = new Map<string, string>()
  const rootOf = (words: string): string => {
    const parent = parents.get(words)
    return parent === undefined ? words : rootOf(parent)
  }
  for (const { id, links } of memories) {
    for (const { relation, memory } of links) {
      const [one, other] = [id, memory].map((each) => ids.get(each))
      if ((relation !== 'confirms' && relation !== 'confirmedBy') || one === undefined || other === undefined) continue
      const [a, b] = [rootOf(one), rootOf(other)]
      if (a !== b) parents.set(a, b)
    }
  }
  return ({ content }) => rootOf(wordsOf(content))
}

/** A repetition in the same task reinforces its one memory; the voices tell how often. */
function saidOf(memory: Memory): { times: number; at: string } {
  const voices = memory.layer === 'task' ? voicesOf(memory) : []
  const times = voices.reduce((sum, { sessions }) => sum + sessions, 0)
  const at = [memory.createdAt, ...voices.map(({ last }) => last)].toSorted().at(-1)!
  return { times: Math.max(1, times), at }
}

function isNewer(a: Memory, b: Memory): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** A lesson's text without its round number: the third rejection for the same reason is the same lesson. */
function wordsOf(content: string): string {
  return withoutRound(content)
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim()
}

/** Without the round number, which does not apply to a merged lesson. */
export function withoutRound(content: string): string {
  return content.replace(/^Rejected \(cycle \d+\)/, 'Rejected').replace(/ after \d+ rejections?(?=:|$)/, '')
}

export function isTaskRejection({ layer, category }: Memory): boolean {
  return layer === 'task' && category === 'rejection'
}
