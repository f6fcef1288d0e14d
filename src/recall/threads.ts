import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { LENDERS } from './ranking.ts'
import { countWords } from './score.ts'
import type { Evidence, Sought } from './sought.ts'

/** The candidates of one thread, by their place in it. */
type Thread = Map<number, Evidence>

/** A sentence, in words: what is shorter says less than it seems to. */
const SENTENCE = 25

/**
 * Lets the lines of a thread lend each other words and meaning, then all of them what its best has; `between` adds to each what
 * is its own. Memories of no thread pass only through `between`.
 */
export function withThreads(
  all: readonly Evidence[],
  sought: Sought,
  between: (all: readonly Evidence[]) => Evidence[],
): Evidence[] {
  if (all.every(({ memory }) => memory.thread === null)) return between(all)
  const keys = all.map(({ memory }) => threadKey(memory))
  const threads = new Map<string, Thread>()
  all.forEach((one, i) => {
    const key = keys[i]!
    if (key === null) return
    const thread = threads.get(key) ?? new Map<number, Evidence>()
    thread.set(one.memory.thread!.index, one)
    threads.set(key, thread)
  })
  // Everything is lent before anything is borrowed: what was borrowed is not passed on.
  const borrowed = all.map((one, i) => (keys[i] ? borrow(one, threads.get(keys[i])!, sought) : one))
  return addBest(between(borrowed), keys, sought)
}

/** A thread belongs to one scope: another may use the same name. */
function threadKey({ layer, identifiers, thread }: Memory): string | null {
  if (thread === null) return null
  const { owner, project } = scopeOf(layer, identifiers)
  return `${layer}\0${owner}\0${project ?? ''}\0${thread.id}`
}

function borrow(own: Evidence, thread: Thread, { scorer, ranking }: Sought): Evidence {
  const { content, thread: place } = own.memory
  let { information, meaning, held: seen } = own
  for (let i = 0; i < LENDERS.length; i++) {
    const lender = thread.get(place!.index + LENDERS[i]!)
    if (lender === undefined) continue
    const fresh = lender.held & ~seen
    seen |= fresh
    if (fresh !== 0) information += ranking.lentWords[i]! * scorer.informationIn(fresh)
    if (meaning !== null && lender.meaning !== null) meaning += ranking.lentMeaning[i]! * Math.max(0, lender.meaning)
  }
  if (meaning !== null) {
    meaning -= ranking.brevity * Math.max(0, Math.log(SENTENCE / countWords(own.memory)))
    if (/[?？]\s*$/.test(content)) meaning -= ranking.asking
  }
  return { ...own, information, meaning }
}

/** Where one line speaks for the question is where to look: the others gain by the best. */
function addBest(all: readonly Evidence[], keys: readonly (string | null)[], { scorer, ranking }: Sought): Evidence[] {
  const best = new Map<string, number>()
  all.forEach(({ information, meaning }, i) => {
    const key = keys[i]!
    if (key !== null) best.set(key, Math.max(best.get(key) ?? 0, (meaning ?? 0) + scorer.shareOf(information)))
  })
  return all.map((one, i) => {
    const key = keys[i]!
    if (key === null || one.meaning === null) return one
    return { ...one, meaning: one.meaning + ranking.threadBest * best.get(key)! }
  })
}
