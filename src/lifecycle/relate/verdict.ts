import type { Likelihoods, Relation, RelationVerdict } from './relation.ts'

/**
 * The least likelihood that makes a verdict, chosen for what an error costs (docs/decisions/009): a false contradiction
 * weakens a memory that is true, a false `same` feeds a stale one and loses what is new. Below both it is `other`, which
 * costs a second row at most.
 */
const THRESHOLDS = { same: 0.6, contradicts: 0.65 }

/** The model is less sure than it may be: with this power its likelihoods are the shares of right answers (decision 009). */
const SHARPNESS = 1.5

/** The verdict on two texts that the model's likelihoods amount to. */
export function verdictOf(raw: Likelihoods): Omit<RelationVerdict, 'reason'> {
  const likely = sharpen(raw)
  const relation: Relation =
    likely.contradicts >= THRESHOLDS.contradicts ? 'contradicts' : likely.same >= THRESHOLDS.same ? 'same' : 'other'
  // Where neither was likely enough, how sure it is that it is neither.
  return { relation, score: round(likely[relation]) }
}

/** Likelihoods that can be read as shares. */
export function sharpen({ same, contradicts, other }: Likelihoods): Likelihoods {
  const powers = [same, contradicts, other].map((value) => value ** SHARPNESS)
  const sum = powers.reduce((total, value) => total + value, 0)
  const [a, b, c] = powers.map((value) => value / sum)
  return { same: a!, contradicts: b!, other: c! }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
