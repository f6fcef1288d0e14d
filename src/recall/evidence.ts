import type { Memory } from '../model/memory.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { NamedTime } from './named-time.ts'
import type { Ranking } from './ranking.ts'
import { addUp, fuse, type KeywordScorer, semanticScore, wordsAlone } from './score.ts'
import type { Evidence, Sought } from './sought.ts'
import { withThreads } from './threads.ts'
import { writerOf } from './writer.ts'

/** Weighs candidates. Those of one thread lend each other words and meaning; any other stands for itself. */
export function gatherEvidence(candidates: readonly StoredMemory[], sought: Sought): Evidence[] {
  const { scorer, compare } = sought
  const own = candidates.map(({ memory, vector }): Evidence => {
    const held = scorer.held(memory)
    const information = scorer.informationIn(held)
    return { memory, vector, held, information, meaning: vector && compare ? compare(vector) : null }
  })
  return withThreads(own, sought, (all) => addSubject(all, sought))
}

/** Adds what a memory is about besides its words: the time that the question names, and the writer or the service. */
function addSubject(all: readonly Evidence[], { scorer, times, ranking }: Sought): Evidence[] {
  return all.map((one) => {
    const inTime = times.length > 0 && isOf(one.memory, times) ? ranking.time : 0
    const named = one.held === 0 ? 0 : informationInName(one, scorer, ranking)
    return inTime + named === 0 ? one : { ...one, information: one.information + inTime + named }
  })
}

function isOf({ occurredAt, createdAt }: Memory, times: readonly NamedTime[]): boolean {
  const time = Date.parse(occurredAt ?? createdAt)
  return times.some(({ holds }) => holds(time))
}

/** A writer whom the question names tells more than a name that everybody mentions. */
function informationInName({ memory, held }: Evidence, { terms }: KeywordScorer, { writer }: Ranking): number {
  const names = writerOf(memory)
  if (names.length === 0) return 0
  const at = terms.findIndex(({ tokens }, i) => (held >>> i) & 1 && tokens.every((token) => names.includes(token)))
  return at < 0 ? 0 : Math.max(0, writer - terms[at]!.weight)
}

/** The scores of a candidate: by meaning, by words, and together. */
export function scoreOf({ memory, information, meaning }: Evidence, scorer: KeywordScorer) {
  const words = scorer.worth(information)
  const keyword = wordsAlone(words)
  if (meaning === null) return { semantic: null, keyword, score: keyword }
  if (memory.thread === null) {
    const semantic = semanticScore(meaning)
    return { semantic, keyword, score: fuse(semantic, words) }
  }
  return { semantic: addUp(meaning, 0), keyword, score: addUp(meaning, scorer.worthInThread(information)) }
}
