import type { Memory } from '../model/memory.ts'
import type { NamedTime } from './named-time.ts'
import type { Ranking } from './ranking.ts'
import type { KeywordScorer } from './score.ts'

/** The evidence for one candidate. */
export interface Evidence {
  memory: Memory
  vector: Float32Array | null
  /** The query terms it contains, as a bit mask. */
  held: number
  /** It states a time, and it is the one the question names. */
  timely: boolean
  /** Information found, in nats: its own, from its thread, and from its subject. */
  information: number
  /** Calibrated cosine, including what the thread lends; null if meaning is not compared. */
  meaning: number | null
}

/** What candidates are compared with. */
export interface Sought {
  scorer: KeywordScorer
  /** The calibrated cosine of a vector; null if meaning is not compared. */
  compare: ((vector: Float32Array) => number) | null
  times: readonly NamedTime[]
  ranking: Ranking
}
