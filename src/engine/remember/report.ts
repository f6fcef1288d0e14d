import type { Candidate } from '../../model/candidate.ts'
import type { Memory } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type PastReview, reasonOf } from './past-review.ts'
import type { Clean } from './prepare.ts'

/** What every outcome reports about its candidate. */
export function reportOf({ candidate, redactions, flags }: Clean) {
  const { content, category, service } = candidate
  return { content, category, service, redactions, flags }
}

/** Does not repeat refused words: they may be the reason. */
export function refusal({ category, service }: Candidate, reason: string): Outcome {
  return { kind: 'refuse', reason, content: '', category, service, redactions: [], flags: [] }
}

/** New, but no agent sees it until an operator accepts it. */
export function heldNow(clean: Clean, memory: Memory): Outcome {
  return { kind: 'insert', ...reportOf(clean), memory, reason: `held for review: ${clean.reasons.join('; ')}` }
}

/** The same text was held before, so nothing changes. Callers who may not see held memories do not see it here either. */
export function heldAgain(clean: Clean, past: PastReview, seesHeld: boolean): Outcome {
  const memory = past.review === 'accepted' || seesHeld ? past.memory : null
  return { kind: 'duplicate', ...reportOf(clean), memory, review: past.review, reason: reasonOf(past) }
}
