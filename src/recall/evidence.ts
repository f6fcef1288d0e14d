import type { Memory } from '../model/memory.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { Fit } from './fit.ts'
import { addUp, fuse, semanticScore, wordsAlone } from './fuse.ts'
import type { NamedTime } from './named-time.ts'
import type { Ranking } from './ranking.ts'
import { countWords, type KeywordScorer } from './score.ts'
import type { Evidence, Sought } from './sought.ts'
import { addBest, borrow, groupThreads } from './threads.ts'
import { writerOf } from './writer.ts'

/** From this share on, words answer most of a question. */
const MOST = 0.65
/** The length of a paragraph in words. */
const PARAGRAPH = 60

/** Weighs candidates. Those in one thread share words and meaning; any other stands alone. */
export function gatherEvidence(candidates: readonly StoredMemory[], sought: Sought): Evidence[] {
  const { scorer, compare, ranking } = sought
  const own = candidates.map(({ memory, vector }): Evidence => {
    const held = scorer.held(memory)
    const information = held === 0 ? 0 : scorer.informationIn(held) / excessOf(memory, ranking)
    return { memory, vector, held, timely: false, information, meaning: vector && compare ? compare(vector) : null }
  })
  const threads = groupThreads(own)
  if (threads.length > 0) borrow(threads, sought)
  for (const one of own) if (one.held !== 0) one.information += informationInName(one, scorer, sought.ranking)
  if (threads.length > 0) addBest(threads, sought)
  // Last, because time evidence is not shared: lines of another day have another time.
  if (sought.times.length > 0) addTime(own, sought)
  return own
}

/** 1 for a line of a thread and up to the length of a paragraph, more for longer texts. */
function excessOf(memory: Memory, { length }: Ranking): number {
  // So few characters hold no more words; counting them takes longer.
  if (memory.thread !== null || memory.content.length < 2 * PARAGRAPH) return 1
  return 1 + length * Math.log(Math.max(1, countWords(memory) / PARAGRAPH))
}

/** Adds evidence if a memory falls in a time the question names. */
function addTime(all: readonly Evidence[], { times, ranking }: Sought): void {
  for (const one of all) {
    if (!isOf(one.memory, times)) continue
    one.information += ranking.time
    one.timely = one.memory.occurredAt !== null
  }
}

function isOf({ occurredAt, createdAt }: Memory, times: readonly NamedTime[]): boolean {
  const time = Date.parse(occurredAt ?? createdAt)
  return times.some(({ holds }) => holds(time))
}

/** A writer named in the question is stronger evidence than a name that everybody mentions. */
function informationInName({ memory, held }: Evidence, { terms }: KeywordScorer, { writer }: Ranking): number {
  const names = writerOf(memory)
  if (names.length === 0) return 0
  const at = terms.findIndex(({ tokens }, i) => (held >>> i) & 1 && tokens.every((token) => names.includes(token)))
  return at < 0 ? 0 : Math.max(0, writer - terms[at]!.weight)
}

/** The scores of a candidate: by meaning, by words, and together. */
export function scoreOf(evidence: Evidence, scorer: KeywordScorer, fit: Fit, { sibling }: Ranking) {
  const whole = scoreAlone(evidence, scorer, fit)
  if (!fit.sibling) return whole
  const { semantic, keyword, score } = whole
  return { semantic: semantic === null ? null : sibling * semantic, keyword: sibling * keyword, score: sibling * score }
}

function scoreAlone({ memory, held, timely, information, meaning }: Evidence, scorer: KeywordScorer, fit: Fit) {
  const words = scorer.worth(information, held, timely)
  const keyword = wordsAlone(words)
  if (meaning === null) return { semantic: null, keyword, score: keyword }
  if (memory.thread === null) {
    const semantic = semanticScore(meaning - fit.against)
    const told = scorer.shareOf(information) >= MOST ? fit.told : 0
    return { semantic, keyword, score: fuse(semanticScore(meaning - fit.against + told), words) }
  }
  return { semantic: addUp(meaning, 0), keyword, score: addUp(meaning, scorer.worthInThread(information)) }
}
