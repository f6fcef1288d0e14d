/** How two statements relate. Anything uncertain is `other`. */
export type Relation = 'same' | 'contradicts' | 'other'

export interface RelationVerdict {
  relation: Relation
  /** Certainty, 0 to 1. */
  score: number
  /** For people: what was compared, and how certain the answer is. */
  reason: string
}

/** The likelihood of each relation; they sum to 1. */
export type Likelihoods = Readonly<Record<Relation, number>>

export type TextPair = readonly [string, string]
