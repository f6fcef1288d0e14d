import type { Candidate } from '../model/candidate.ts'
import { isEvent } from '../model/categories.ts'
import { clampConfidence, DEFAULT_CONFIDENCE, isVisible, type Memory } from '../model/memory.ts'
import type { Admission, AdmitContext, Beside, Grounds } from './admission.ts'
import {
  applyDeclaration,
  canCorrect,
  DECLARED,
  isComparable,
  isHere,
  isOwn,
  relateTo,
  SAME_WORDS,
  type Verdict,
} from './compare.ts'
import { reinforce, type Standing, standingOf, weaken } from './confidence.ts'
import { settledAs } from './decisions.ts'
import { findSaid, settleNamed } from './echo.ts'
import { leavesPart } from './parts.ts'
import type { Neighbour } from './quotation.ts'
import type { Relater } from './relate/relate.ts'
import { wordsAlone } from './words-alone.ts'

/**
 * Decides what to do with an observation, given the existing memories. Inactive and expired memories are ignored,
 * except that a session cannot repeat itself. Neighbours may have any category, service and layer, if they can be about
 * the same thing.
 * - The same text in another category or layer becomes a memory of its own, and the two are linked. A contradiction
 * corrects regardless of labels; a memory in another layer is linked, not weakened.
 * - What the agent declares takes precedence over what is guessed. If the quotation matches nothing, only the guess is
 * used. A memory named by id needs no match: confirming it does nothing else, and nothing at all if it no longer
 * exists.
 * - A session counts for a memory once, and not for a memory it wrote itself. Such an echo changes nothing, not even
 * what it contradicts, so the same session can be captured again safely.
 * - An agent weakens a memory once, however often it contradicts it (without an agent name, a session does). Only an
 * operator can deactivate an operator's memory, unless it had low confidence from the start.
 * - An event older than a memory (`occurredAt`) does not weaken it, whatever is declared.
 * - Workflow memories are only deduplicated. Neither a rejection nor an approval disproves an earlier one: both
 * happened. Declared contradictions apply to them as to others.
 */
export function admit(
  candidate: Candidate,
  neighbours: readonly Neighbour[],
  relater: Relater,
  context: AdmitContext,
): Admission {
  const refused = whyRefused(candidate, context.now)
  if (refused !== null) return { kind: 'refuse', reason: refused }
  const named = context.named && isVisible(context.named.memory, context.now) ? context.named : null
  const settled = settleNamed(candidate, named, context)
  if (settled !== null) return settled
  const said = findSaid(candidate, neighbours, relater, context)
  if (said !== null) return said

  const quotable = neighbours
    .filter(({ memory }) => isVisible(memory, context.now) && canCorrect(candidate, memory))
    .sort((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
  const visible = quotable.filter(({ memory }) => isComparable(candidate, memory))
  const declared =
    named === null
      ? applyDeclaration(candidate, quotable.filter(isHere), relater, context)
      : ({ neighbour: named, relation: 'contradicts', weight: DECLARED, reason: 'declared as a correction' } as const)
  const guessed = visible
    .filter(({ memory }) => memory.id !== declared?.neighbour.memory.id)
    .map((neighbour) => relateTo(candidate, neighbour, relater, context))
  const verdicts = declared === null ? guessed : [declared, ...guessed]
  const blind = guessed.map(({ reason }) => wordsAlone(reason)).find((why) => why !== null)
  const unsure = blind === undefined ? '' : `; ${blind}`
  const missed =
    candidate.declares !== undefined && declared === null ? 'the memory that it quotes is not stored here; ' : ''

  const opposites = verdicts.filter(({ relation }) => relation === 'contradicts')
  const later = opposites.filter(({ neighbour: { memory } }) => !isEarlier(candidate, memory))
  const agreeing = verdicts.filter(({ relation }) => relation === 'same').sort((a, b) => b.weight - a.weight)
  // What an operator settled for a memory also applies to statements that say the same.
  const isOpen = ({ neighbour: { memory } }: Verdict) =>
    agreeing.every(({ neighbour }) => settledAs(memory, neighbour.memory) === null)
  const weakened = later
    .filter((verdict) => isHere(verdict.neighbour) && isOpen(verdict))
    .map((verdict) => ({
      memory: verdict.neighbour.memory,
      ...contradicted(verdict, candidate, context),
      ...groundsOf(verdict),
    }))
  const same = agreeing.find(({ neighbour }) => isOwn(candidate, neighbour))
  if (same !== undefined) {
    const { memory } = same.neighbour
    // A repeated event is not an echo, whatever its session has read: the third rejection counts as a third.
    if (same.neighbour.shown && same.weight === SAME_WORDS && !isEvent(candidate)) {
      return { kind: 'duplicate', of: memory, reason: 'the same words, which this session was shown' }
    }
    const reason = missed + same.reason + unsure
    const grounds = { ...groundsOf(same), reason }
    return { kind: 'reinforce', memory, confidence: reinforce(memory.confidence), weakened, ...grounds }
  }

  const confidence = clampConfidence(context.confidence ?? DEFAULT_CONFIDENCE)
  const beside = [
    ...agreeing.map(({ neighbour }) => linkTo(neighbour, 'confirms')),
    ...later
      .filter((verdict) => !isHere(verdict.neighbour) && isOpen(verdict))
      .map(({ neighbour }) => linkTo(neighbour, 'contradicts')),
  ]
  const [first] = weakened
  if (first !== undefined) {
    return { kind: 'contradict', confidence, weakened, beside, reason: missed + first.reason + unsure }
  }
  return { kind: 'insert', confidence, beside, reason: missed + whyNew() + unsure }

  function whyNew(): string {
    const [other] = beside
    if (other?.relation === 'contradicts') return `it contradicts a memory of the layer ${other.memory.layer}`
    if (other !== undefined) return `the same is known as ${other.memory.category} in the layer ${other.memory.layer}`
    if (opposites.length > 0) return 'it happened before what it contradicts'
    return `no memory says ${blind === undefined ? 'the same or the opposite' : 'it in the same words'}`
  }
}

function whyRefused({ content, expiresAt }: Candidate, now: Date): string | null {
  if (content.trim() === '') return 'it says nothing'
  return expiresAt && Date.parse(expiresAt) <= now.getTime() ? 'it has already expired' : null
}

function linkTo(neighbour: Neighbour, relation: Beside['relation']): Beside {
  return { memory: neighbour.memory, relation, both: isHere(neighbour) }
}

function groundsOf({ weight, reason }: Verdict): Grounds {
  return { reason, score: weight <= 1 ? weight : null, declared: weight === DECLARED }
}

/** The state of a memory after it was contradicted. */
function contradicted(
  { neighbour: { memory, opposed }, weight }: Verdict,
  { content }: Candidate,
  { vouched }: AdmitContext,
): Standing {
  if (opposed) return standingOf(memory.confidence)
  const again = memory.links.some(({ relation }) => relation === 'contradictedBy')
  // A confidence below 0.5 from an operator was a tentative statement.
  const doubted = !again && memory.confidence < 0.5 && memory.decayedWeeks === 0
  const isOperators = memory.trust === 'operator' && !vouched && !doubted
  // The correction does not mention the other part, which still holds.
  const keepsPart = weight !== DECLARED && leavesPart(memory.content, content)
  return weaken(memory.confidence, { stays: isOperators || keepsPart })
}

/** An event before a memory's own time does not correct it. */
function isEarlier({ occurredAt }: Candidate, memory: Memory): boolean {
  return Boolean(occurredAt) && Date.parse(occurredAt!) < Date.parse(memory.occurredAt ?? memory.createdAt)
}
