import type { Memory } from '../model/memory.ts'
import type { NamedTime } from './named-time.ts'
import type { Ranking } from './ranking.ts'
import type { KeywordScorer } from './score.ts'

/** What speaks for one candidate. */
export interface Evidence {
  memory: Memory
  vector: Float32Array | null
  /** The query's terms that it holds, a bit for each. */
  held: number
  /** It tells of the time that the question names, and says so itself. */
  timely: boolean
  /** Information found, in nats: its own, that of the thread around it, and what it is about. */
  information: number
  /** Calibrated cosine with what the thread lends; null when its meaning is not compared. */
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
