import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { LENDERS } from './ranking.ts'
import { countWords } from './score.ts'
import type { Evidence, Sought } from './sought.ts'

/** The candidates of one thread, by their place in it. */
export type Thread = ReadonlyMap<number, Evidence>

/** A sentence, in words: what is shorter says less than it seems to. */
const SENTENCE = 25

export function groupThreads(all: readonly Evidence[]): Thread[] {
  const threads = new Map<string, Map<number, Evidence>>()
  for (const one of all) {
    const { thread: place } = one.memory
    if (place === null) continue
    const key = keyOf(one.memory, place.id)
    const thread = threads.get(key) ?? new Map<number, Evidence>()
    thread.set(place.index, one)
    threads.set(key, thread)
  }
  return [...threads.values()]
}

/** A thread belongs to one scope: another may use the same name. */
function keyOf({ layer, identifiers }: Memory, thread: string): string {
  const { owner, project } = scopeOf(layer, identifiers)
  return `${layer}\0${owner}\0${project ?? ''}\0${thread}`
}

/** Lets the lines of each thread lend each other words and meaning. What was borrowed is not passed on. */
export function borrow(threads: readonly Thread[], sought: Sought): void {
  for (const thread of threads) {
    const lent = Array.from(thread, ([index, own]) => lentTo(own, index, thread, sought))
    let at = 0
    for (const own of thread.values()) Object.assign(own, lent[at++])
  }
}

function lentTo(own: Evidence, index: number, thread: Thread, { scorer, ranking }: Sought) {
  let { information, meaning, held: seen } = own
  for (let i = 0; i < LENDERS.length; i++) {
    const lender = thread.get(index + LENDERS[i]!)
    if (lender === undefined) continue
    const fresh = lender.held & ~seen & scorer.lendable
    seen |= fresh
    const answers = LENDERS[i] === -1 && asks(lender.memory)
    const words = ranking.lentWords[i]! + (answers ? ranking.answeredWords : 0)
    if (fresh !== 0) information += words * scorer.informationIn(fresh)
    const share = ranking.lentMeaning[i]! + (answers ? ranking.answeredMeaning : 0)
    if (meaning !== null && lender.meaning !== null) meaning += share * Math.max(0, lender.meaning)
  }
  if (meaning !== null) {
    meaning -= ranking.brevity * Math.max(0, Math.log(SENTENCE / countWords(own.memory)))
    if (asks(own.memory)) meaning -= ranking.asking
  }
  return { information, meaning }
}

function asks({ content }: Memory): boolean {
  return /[?？]\s*$/.test(content)
}

/** Where one line speaks for the question is where to look: the whole thread gains by its best. */
export function addBest(threads: readonly Thread[], { scorer, ranking }: Sought): void {
  for (const thread of threads) {
    let best = 0
    for (const { information, meaning } of thread.values()) {
      best = Math.max(best, (meaning ?? 0) + scorer.shareOf(information))
    }
    for (const own of thread.values()) if (own.meaning !== null) own.meaning += ranking.threadBest * best
  }
}
