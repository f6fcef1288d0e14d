/** How two statements stand to each other. Whatever is not certain is `other`. */
export type Relation = 'same' | 'contradicts' | 'other'

export interface RelationVerdict {
  relation: Relation
  /** How sure it is: 0 to 1. */
  score: number
  /** For people: what was compared, and how sure the answer is. */
  reason: string
}

/** How likely each relation is; together 1. */
export type Likelihoods = Readonly<Record<Relation, number>>

export type TextPair = readonly [string, string]
