/** How two statements stand to each other. Whatever is not certain is `other`. */
export type Relation = 'same' | 'contradicts' | 'other'

export interface RelationVerdict {
  relation: Relation
  /** How sure it is: 0 to 1. */
  score: number
  /** For people: `60s and 90s for one duration`. */
  reason: string
}
