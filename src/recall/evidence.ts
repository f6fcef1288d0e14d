import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import { tokenize } from '../text/tokens.ts'
import type { NamedTime } from './named-time.ts'
import { LENDERS, type Ranking } from './ranking.ts'
import { countWords, type KeywordScorer } from './score.ts'

/** What speaks for one candidate. */
export interface Evidence {
  memory: Memory
  vector: Float32Array | null
  /** The query's terms that it holds, a bit for each. */
  held: number
  /** Information found, in nats: its own, that of the thread around it, and what it is about. */
  information: number
  /** Calibrated cosine with what the thread around it lends; null when its meaning is not compared. */
  meaning: number | null
}

/** What candidates are compared with. */
export interface Sought {
  scorer: KeywordScorer
  /** The calibrated cosine of a vector; null when nothing is compared by meaning. */
  compare: ((vector: Float32Array) => number) | null
  times: readonly NamedTime[]
  ranking: Ranking
}

/** Weighs candidates. Those of one thread lend each other words and meaning; any other stands for itself. */
export function gatherEvidence(candidates: readonly StoredMemory[], sought: Sought): Evidence[] {
  const { scorer, compare } = sought
  const all = candidates.map(({ memory, vector }): Evidence => {
    const held = scorer.held(memory)
    const information = scorer.informationIn(held)
    return { memory, vector, held, information, meaning: vector && compare ? compare(vector) : null }
  })
  const threads = groupThreads(all)
  // Everything is lent before anything is borrowed: what was borrowed is not passed on.
  const borrowed = threads.size === 0 ? all : all.map((one) => borrow(one, threads, sought))
  return addSubject(borrowed, sought)
}

type Thread = Map<number, Evidence>

function threadKey({ layer, identifiers, thread }: Memory): string {
  const { owner, project } = scopeOf(layer, identifiers)
  return JSON.stringify([layer, owner, project, thread!.id])
}

/** The candidates of each thread, by their place in it. A thread belongs to one scope: another may use the same name. */
function groupThreads(all: readonly Evidence[]): Map<string, Thread> {
  const threads = new Map<string, Thread>()
  for (const one of all) {
    if (one.memory.thread === null) continue
    const key = threadKey(one.memory)
    const thread = threads.get(key) ?? new Map<number, Evidence>()
    thread.set(one.memory.thread.index, one)
    threads.set(key, thread)
  }
  return threads
}

/** A sentence, in words: what is shorter says less than it seems to. */
const SENTENCE = 25

function borrow(own: Evidence, threads: ReadonlyMap<string, Thread>, { scorer, ranking }: Sought): Evidence {
  const { thread: place, content } = own.memory
  if (place === null) return own
  const thread = threads.get(threadKey(own.memory))!
  let { information, meaning } = own
  let seen = own.held
  LENDERS.forEach((offset, i) => {
    const lender = thread.get(place.index + offset)
    if (lender === undefined) return
    const fresh = lender.held & ~seen
    if (fresh !== 0) information += ranking.lentWords[i]! * scorer.informationIn(fresh)
    seen |= fresh
    if (meaning !== null && lender.meaning !== null) meaning += ranking.lentMeaning[i]! * Math.max(0, lender.meaning)
  })
  if (meaning !== null) {
    meaning -= ranking.brevity * Math.max(0, Math.log(SENTENCE / countWords(own.memory)))
    if (/[?？]\s*$/.test(content)) meaning -= ranking.asking
  }
  return { ...own, information, meaning }
}

/** Adds what a memory is about besides its words: the time that the question names, and the writer or the service. */
function addSubject(all: readonly Evidence[], { scorer, times, ranking }: Sought): Evidence[] {
  return all.map((one) => {
    const { memory } = one
    const time = Date.parse(memory.occurredAt ?? memory.createdAt)
    const inTime = times.some(({ holds }) => holds(time))
    const named = scorer.terms.findIndex(({ tokens }, i) => (one.held >>> i) & 1 && isWriter(memory, tokens))
    const more = named < 0 ? 0 : Math.max(0, ranking.writer - scorer.terms[named]!.weight)
    if (!inTime && more === 0) return one
    return { ...one, information: one.information + more + (inTime ? ranking.time : 0) }
  })
}

/** How a line of a transcript begins: who says it, perhaps with when. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})(?: \([^)]{1,60}\))?: /u

/** Whether these tokens are among those of the memory's service or speaker. */
export function isWriter({ service, thread, content }: Memory, tokens: readonly string[]): boolean {
  const writer = service ?? (thread === null ? null : (SPEAKER.exec(content)?.[1] ?? null))
  if (writer === null) return false
  const names = tokenize(writer)
  return tokens.every((token) => names.includes(token))
}
