import type { Memory } from '../model/memory.ts'
import type { Standing } from './confidence.ts'
import type { Neighbour } from './quotation.ts'

export interface AdmitContext {
  now: Date
  /** The candidate's session; null if it has none, and then nothing counts as an echo. */
  session: string | null
  /** The vector of the candidate's content. */
  vector: Float32Array | null
  /** The vector of the text the candidate quotes. */
  quotedVector?: Float32Array | null
  /** The memory the candidate names by id, in any scope; null if the session was not shown it. */
  named?: Neighbour | null
  /** Initial confidence of a new memory; below the default 0.7 if the guard flagged it. */
  confidence?: number
  /** Whether an operator says it. */
  vouched?: boolean
}

/** An older memory weakened by a newer observation, with its remaining confidence. */
export interface Weakened extends Standing, Grounds {
  memory: Memory
}

export interface Grounds {
  reason: string
  /** The model's score; null if it was not asked. */
  score: number | null
  /** The speaker declared it. */
  declared: boolean
}

/** A memory that a new one is linked to without changing it. */
export interface Beside {
  memory: Memory
  relation: 'confirms' | 'contradicts'
  /** Whether it is in the same scope, so that it can store the link too. */
  both: boolean
}

/** The decision about an observation. Reasons are for people and may quote a few words of the memories. */
export type Admission =
  | { kind: 'insert'; confidence: number; beside: Beside[]; reason: string }
  | { kind: 'contradict'; confidence: number; weakened: Weakened[]; beside: Beside[]; reason: string }
  /**
   * No new memory: this one gets a new confidence and `updatedAt`. Memories that the observation contradicts are
   * weakened too.
   */
  | ({ kind: 'reinforce'; memory: Memory; confidence: number; weakened: Weakened[] } & Grounds)
  /** Nothing changes: this session said it before. */
  | { kind: 'duplicate'; of: Memory; reason: string }
  | { kind: 'refuse'; reason: string }
