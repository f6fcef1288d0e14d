import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { LENDERS } from './ranking.ts'
import { countWords } from './score.ts'
import type { Evidence, Sought } from './sought.ts'

/** The candidates of one thread, also by position; if several share one, the first written. */
interface Thread {
  all: Evidence[]
  at: Map<number, Evidence>
}

/** The length of a sentence in words; shorter lines say less than they seem to. */
const SENTENCE = 25

export function groupThreads(all: readonly Evidence[]): Thread[] {
  const threads = new Map<string, Thread>()
  for (const one of all) {
    const { thread: place } = one.memory
    if (place === null) continue
    const key = keyOf(one.memory, place.id)
    const thread: Thread = threads.get(key) ?? { all: [], at: new Map() }
    thread.all.push(one)
    const there = thread.at.get(place.index)
    if (there === undefined || one.memory.id < there.memory.id) thread.at.set(place.index, one)
    threads.set(key, thread)
  }
  return [...threads.values()]
}

/** A thread belongs to one scope; another scope may reuse the name. */
function keyOf({ layer, identifiers }: Memory, thread: string): string {
  const { owner, project } = scopeOf(layer, identifiers)
  return `${layer}\0${owner}\0${project ?? ''}\0${thread}`
}

/** Lets the lines of each thread share words and meaning. What a line borrowed is not passed on. */
export function borrow(threads: readonly Thread[], sought: Sought): void {
  for (const thread of threads) {
    const lent = thread.all.map((own) => lentTo(own, thread.at, sought))
    for (const [i, own] of thread.all.entries()) Object.assign(own, lent[i])
  }
}

function lentTo(own: Evidence, at: Thread['at'], { scorer, ranking }: Sought) {
  let { information, meaning, held: seen } = own
  const { index } = own.memory.thread!
  for (let i = 0; i < LENDERS.length; i++) {
    const lender = at.get(index + LENDERS[i]!)
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

/** One line that answers the question raises the whole thread. */
export function addBest(threads: readonly Thread[], { scorer, ranking }: Sought): void {
  for (const { all } of threads) {
    let best = 0
    for (const { information, meaning } of all) {
      best = Math.max(best, (meaning ?? 0) + scorer.shareOf(information))
    }
    for (const own of all) if (own.meaning !== null) own.meaning += ranking.threadBest * best
  }
}
