import type { Candidate } from '../model/candidate.ts'
import { isVisible } from '../model/memory.ts'
import type { Admission, AdmitContext } from './admission.ts'
import { applyDeclaration, isComparable, isHere, isOwn, relateTo } from './compare.ts'
import { reinforce } from './confidence.ts'
import { type Neighbour, sameWords } from './quotation.ts'
import type { Relater } from './relate/relate.ts'

/**
 * The same statement from the same session, judging by the memories it wrote or reinforced, including inactive ones.
 * Checked first: nothing remembered since then may make a repetition count.
 */
export function findSaid(
  candidate: Candidate,
  neighbours: readonly Neighbour[],
  relater: Relater,
  context: AdmitContext,
): Admission | null {
  const { session, now } = context
  if (session === null) return null
  const own = neighbours
    .filter(({ memory, counted }) => memory.session === session || counted)
    .filter(({ memory }) => isComparable(candidate, memory))
    .sort((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
  const same = own
    .filter((neighbour) => isOwn(candidate, neighbour))
    .map((neighbour) => relateTo(candidate, neighbour, relater, context))
    .filter(({ relation }) => relation === 'same')
    .sort((a, b) => b.weight - a.weight)[0]
  const declared =
    candidate.declares?.relation === 'confirms'
      ? applyDeclaration(candidate, own.filter(isHere), relater, context)
      : null
  const verdict = same ?? declared
  if (verdict === null) return null
  const { memory } = verdict.neighbour
  const by = memory.session === session ? 'said by the same session' : 'already counted for this session'
  const since = isVisible(memory, now) ? '' : ', and inactive since'
  return { kind: 'duplicate', of: memory, reason: `${verdict.reason}, ${by}${since}` }
}

/** What follows from naming the memory alone; null if its meaning must be compared too. */
export function settleNamed(
  candidate: Candidate,
  named: Neighbour | null,
  { session }: AdmitContext,
): Admission | null {
  if (candidate.declares?.memory === undefined) return null
  const confirms = candidate.declares.relation === 'confirms'
  if (named === null)
    return confirms
      ? { kind: 'refuse', reason: 'the memory that it confirms was not shown, or no longer exists' }
      : null
  const { memory, counted } = named
  if (!confirms) {
    if (!sameWords(memory.content, candidate.content)) return null
    return { kind: 'duplicate', of: memory, reason: 'a correction must use other words' }
  }
  if (memory.session === session) return { kind: 'duplicate', of: memory, reason: 'said by the same session' }
  if (counted) return { kind: 'duplicate', of: memory, reason: 'already counted for this session' }
  const reason = 'declared as a confirmation'
  const confidence = reinforce(memory.confidence)
  return { kind: 'reinforce', memory, confidence, weakened: [], reason, score: null, declared: true }
}
