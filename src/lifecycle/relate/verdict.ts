import type { Likelihoods, Relation, RelationVerdict } from './relation.ts'

/**
 * The minimum likelihood for a verdict, chosen by the cost of an error (docs/decisions/009): a false contradiction
 * weakens a true memory, a false `same` reinforces a stale one and loses the new one. Below both it is `other`, which
 * costs at most a duplicate.
 */
const THRESHOLDS = { same: 0.6, contradicts: 0.7 }

/**
 * The model is underconfident: raised to this power, its likelihoods match the share of right answers (decision 009).
 */
const SHARPNESS = 1.5

/** The verdict on two texts, from the model's likelihoods. */
export function verdictOf(raw: Likelihoods): Omit<RelationVerdict, 'reason'> {
  const likely = sharpen(raw)
  const relation: Relation =
    likely.contradicts >= THRESHOLDS.contradicts ? 'contradicts' : likely.same >= THRESHOLDS.same ? 'same' : 'other'
  // If neither is likely enough, the score is that of `other`.
  return { relation, score: round(likely[relation]) }
}

/** Calibrated likelihoods. */
export function sharpen({ same, contradicts, other }: Likelihoods): Likelihoods {
  const powers = [same, contradicts, other].map((value) => value ** SHARPNESS)
  const sum = powers.reduce((total, value) => total + value, 0)
  const [a, b, c] = powers.map((value) => value / sum)
  return { same: a!, contradicts: b!, other: c! }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
