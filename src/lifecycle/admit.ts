import type { Candidate } from '../model/candidate.ts'
import { isEvent, isWorkflow } from '../model/categories.ts'
import { clampConfidence, DEFAULT_CONFIDENCE, isVisible, type Memory } from '../model/memory.ts'
import { isSameService } from '../model/service-name.ts'
import { reinforce, type Standing, standingOf, weaken } from './confidence.ts'
import { settledAs } from './decisions.ts'
import { leavesPart } from './parts.ts'
import { findQuoted, type Neighbour, sameWords } from './quotation.ts'
import type { Relater, StatementPair } from './relate/relate.ts'
import { isRedacted } from './relate/wording.ts'
import { canBeSameThing, statementBeside } from './subject.ts'
import { wordsAlone } from './words-alone.ts'

export type { Neighbour }

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

/** How the candidate relates to one neighbour. */
interface Verdict {
  neighbour: Neighbour
  relation: 'same' | 'contradicts' | 'other'
  /** Of several memories with the same meaning, the one with the highest weight is reinforced. */
  weight: number
  reason: string
}

const SAME_WORDS = 2
const DECLARED = 3

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

  const visible = neighbours
    .filter(({ memory }) => isVisible(memory, context.now) && isComparable(candidate, memory))
    .sort((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
  const declared =
    named === null
      ? applyDeclaration(candidate, visible.filter(isHere), relater, context)
      : ({ neighbour: named, relation: 'contradicts', weight: DECLARED, reason: 'declared as a correction' } as const)
  const guessed = visible
    .filter(({ memory }) => memory.id !== declared?.neighbour.memory.id)
    .map((neighbour) => relateTo(candidate, neighbour, relater, context))
  const verdicts = declared === null ? guessed : [declared, ...guessed]
  const blind = guessed.map(({ reason }) => wordsAlone(reason)).find((why) => why !== null)
  const unsure = blind === undefined ? '' : `; ${blind}`
  const missed = candidate.declares !== undefined && declared === null ? 'what it quotes is not remembered here; ' : ''

  const opposites = verdicts.filter(({ relation }) => relation === 'contradicts')
  const later = opposites.filter(({ neighbour: { memory } }) => !isEarlier(candidate, memory))
  const agreeing = verdicts.filter(({ relation }) => relation === 'same').sort((a, b) => b.weight - a.weight)
  // What an operator has settled for a memory holds for whatever says the same.
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
    return `nothing remembered says ${blind === undefined ? 'the same or the opposite' : 'it in the same words'}`
  }
}

/** Workflow events are only compared with each other; a decision or hint describes how things are. */
function isComparable(a: Labelled, b: Labelled): boolean {
  return (a.category === b.category || !(isEvent(a) || isEvent(b))) && canBeSameThing(a, b)
}

function isHere({ elsewhere = false }: Neighbour): boolean {
  return !elsewhere
}

/**
 * Whether repeating this memory reinforces it: not in another category or layer, where it becomes a new memory, and not
 * if the session only repeats what it was shown.
 */
function isOwn(candidate: Candidate, { memory, elsewhere = false, shown }: Neighbour): boolean {
  if (memory.category !== candidate.category) return false
  return !elsewhere || (shown && sameWords(memory.content, candidate.content))
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

/** The part of a memory, or of another candidate in the batch, that relating needs. */
export interface Comparable {
  memory: Pick<Memory, 'content' | 'category' | 'service'> & { metadata?: Memory['metadata'] }
  vector: Float32Array | null
}

/**
 * The pairs `admit` may ask its relater about: the candidate and its quotation, with everything that can be about the
 * same thing. Pass the neighbours of every candidate in a capture, and the capture's candidates to each other: a stored
 * candidate is a neighbour of the next.
 */
export function pairsToAsk(
  candidate: Candidate,
  neighbours: readonly Comparable[],
  { vector, quotedVector }: Pick<AdmitContext, 'vector' | 'quotedVector'>,
): StatementPair[] {
  const near = neighbours.filter(({ memory }) => isComparable(candidate, memory))
  const pairs = near
    .filter(({ memory }) => settledBefore(candidate, memory) === null)
    .map((each) => {
      const [text, known] = claimsOf(candidate, each.memory)
      const apart = !hasSameLabels(candidate, each.memory)
      return { a: { text, vector }, b: { text: known, vector: each.vector }, apart }
    })
  if (candidate.declares === undefined || candidate.declares.memory !== undefined) return pairs
  const quoted = { text: candidate.declares.text, vector: quotedVector ?? null }
  return [...pairs, ...near.map((each) => ({ a: quoted, b: { text: each.memory.content, vector: each.vector } }))]
}

function whyRefused({ content, expiresAt }: Candidate, now: Date): string | null {
  if (content.trim() === '') return 'it says nothing'
  return expiresAt && Date.parse(expiresAt) <= now.getTime() ? 'it has expired already' : null
}

/**
 * The same statement from the same session, judging by the memories it wrote or reinforced, including inactive ones.
 * Checked first: nothing remembered since then may make a repetition count.
 */
function findSaid(
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
  const by = memory.session === session ? 'said by this session itself' : 'already counted for this session'
  const since = isVisible(memory, now) ? '' : ', and inactive since'
  return { kind: 'duplicate', of: memory, reason: `${verdict.reason}, ${by}${since}` }
}

/** What follows from naming the memory alone; null if its meaning must be compared too. */
function settleNamed(candidate: Candidate, named: Neighbour | null, { session }: AdmitContext): Admission | null {
  if (candidate.declares?.memory === undefined) return null
  const confirms = candidate.declares.relation === 'confirms'
  if (named === null) return confirms ? { kind: 'refuse', reason: 'what it confirms was not shown, or is gone' } : null
  const { memory, counted } = named
  if (!confirms) {
    if (!sameWords(memory.content, candidate.content)) return null
    return { kind: 'duplicate', of: memory, reason: 'a correction in the same words is none' }
  }
  if (memory.session === session) return { kind: 'duplicate', of: memory, reason: 'said by this session itself' }
  if (counted) return { kind: 'duplicate', of: memory, reason: 'already counted for this session' }
  const reason = 'declared as a confirmation'
  const confidence = reinforce(memory.confidence)
  return { kind: 'reinforce', memory, confidence, weakened: [], reason, score: null, declared: true }
}

/** A "correction" that repeats the memory's own words is ignored; the model decides. */
function applyDeclaration(
  candidate: Candidate,
  neighbours: readonly Neighbour[],
  relater: Relater,
  { quotedVector }: AdmitContext,
): Verdict | null {
  if (candidate.declares === undefined || candidate.declares.memory !== undefined) return null
  const { relation, text } = candidate.declares
  const corrects = relation === 'corrects'
  // The secret removed from the quotation may differ from the memory's.
  if (!corrects && isRedacted(text)) return null
  const open = corrects ? neighbours.filter(({ memory }) => !sameWords(memory.content, candidate.content)) : neighbours
  const neighbour = findQuoted({ text, vector: quotedVector ?? null }, open, candidate.category, relater)
  if (neighbour === null) return null
  return corrects
    ? { neighbour, relation: 'contradicts', weight: DECLARED, reason: 'declared as a correction' }
    : { neighbour, relation: 'same', weight: DECLARED, reason: 'declared as a confirmation' }
}

function relateTo(candidate: Candidate, neighbour: Neighbour, relater: Relater, { vector }: AdmitContext): Verdict {
  const [text, known] = claimsOf(candidate, neighbour.memory)
  // The secrets removed from two redacted texts may differ.
  if (sameWords(text, known) && !isRedacted(text)) {
    return { neighbour, relation: 'same', weight: SAME_WORDS, reason: 'the same words' }
  }
  const settled = settledBefore(candidate, neighbour.memory)
  if (settled !== null) return { neighbour, ...settled }
  const { relation, score, reason } = relater.relate({ text, vector }, { text: known, vector: neighbour.vector })
  const least = neighbour.together ? SURE_TOGETHER : hasSameLabels(candidate, neighbour.memory) ? 0 : SURE_ACROSS_LABELS
  const isUnsure = score < least && !(neighbour.together && relation === 'same')
  const apart = relation === 'contradicts' && isWorkflow(candidate) && isWorkflow(neighbour.memory)
  return { neighbour, relation: apart || isUnsure ? 'other' : relation, weight: score, reason }
}

/** A relation between statements with different labels must be more certain. */
const SURE_ACROSS_LABELS = 0.8
/** Within one answer: it more often lists related things than takes something back. */
const SURE_TOGETHER = 0.95

function hasSameLabels(a: Labelled, b: Labelled): boolean {
  return a.category === b.category && isSameService(a.service, b.service)
}

type Labelled = Pick<Memory, 'content' | 'category' | 'service'>

/** The parts of two statements that are compared. */
function claimsOf(one: Labelled, other: Labelled): [string, string] {
  const [a, b] = [one, other].map((each) => ({ content: claimOf(each), service: each.service }))
  return [statementBeside(a!, b!), statementBeside(b!, a!)]
}

/** An operator's earlier verdict on this text beside this memory, so that it is not asked again. */
function settledBefore(
  { content }: Candidate,
  { metadata = {} }: Comparable['memory'],
): Omit<Verdict, 'neighbour'> | null {
  const settled = settledAs({ metadata }, content)
  if (settled === null) return null
  const relation = settled === 'same' ? 'same' : 'other'
  return { relation, weight: settled === 'same' ? DECLARED : 1, reason: `an operator has settled it: ${settled}` }
}

/** The round number, which differs between rejections that say the same. */
const ROUND = /\s*\(cycle \d+\)|\s+after \d+ rejections?(?=:)/g
/** The kind of event, which the category already says: `Rejected:` before two texts makes them look like opposites. */
const KIND = /^[A-Z][a-z-]+(?: [a-z]+)?:\s+(?=\S)/

/** The claim of a text, without round numbers and event kinds. */
function claimOf(memory: Pick<Memory, 'content' | 'category'>): string {
  return isWorkflow(memory) ? memory.content.replace(ROUND, '').replace(KIND, '') : memory.content
}
