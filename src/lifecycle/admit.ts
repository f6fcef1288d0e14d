import type { Candidate } from '../model/candidate.ts'
import { isEvent, isWorkflow } from '../model/categories.ts'
import { clampConfidence, DEFAULT_CONFIDENCE, isVisible, type Memory } from '../model/memory.ts'
import { isSameService } from '../model/service-name.ts'
import { reinforce, type Standing, standingOf, weaken } from './confidence.ts'
import { settledAs } from './decisions.ts'
import { findQuoted, type Neighbour, sameWords } from './quotation.ts'
import type { Relater, StatementPair } from './relate/relate.ts'
import { isRedacted } from './relate/wording.ts'
import { canBeSameThing, statementBeside } from './subject.ts'
import { wordsAlone } from './words-alone.ts'

export type { Neighbour }

export interface AdmitContext {
  now: Date
  /** The session the candidate comes from; null when there is none, and then nothing is known to be an echo. */
  session: string | null
  /** Of the candidate's content. */
  vector: Float32Array | null
  /** Of the text that the candidate quotes. */
  quotedVector?: Float32Array | null
  /** The memory that the candidate names by its id, of whatever scope; null when the session was not shown it. */
  named?: Neighbour | null
  /** What a new memory starts with; less than the default 0.7 for what the guard flagged. */
  confidence?: number
  /** Whether an operator says it. */
  vouched?: boolean
}

/** An older memory that lost to a newer observation, with what is left of it. */
export interface Weakened extends Standing, Grounds {
  memory: Memory
}

export interface Grounds {
  reason: string
  /** How sure the model was; null where it was not asked. */
  score: number | null
  /** The speaker says so itself. */
  declared: boolean
}

/** A memory that a new one is linked to, and that stays as it is. */
export interface Beside {
  memory: Memory
  relation: 'confirms' | 'contradicts'
  /** Whether it belongs to the same scope, and can say so too. */
  both: boolean
}

/** What is to become of an observation. Reasons are for people and may quote a few words of the memories. */
export type Admission =
  | { kind: 'insert'; confidence: number; beside: Beside[]; reason: string }
  | { kind: 'contradict'; confidence: number; weakened: Weakened[]; beside: Beside[]; reason: string }
  /** No new memory: this one gets the confidence and a new `updatedAt`. What the observation contradicts is weakened too. */
  | ({ kind: 'reinforce'; memory: Memory; confidence: number; weakened: Weakened[] } & Grounds)
  /** Nothing changes: this session has said it before. */
  | { kind: 'duplicate'; of: Memory; reason: string }
  | { kind: 'refuse'; reason: string }

/** How the candidate stands to one neighbour. */
interface Verdict {
  neighbour: Neighbour
  relation: 'same' | 'contradicts' | 'other'
  /** Of several memories of the same meaning, that with the most is the one reinforced. */
  weight: number
  reason: string
}

const SAME_WORDS = 2
const DECLARED = 3

/**
 * Decides what becomes of an observation beside what is already remembered. What is inactive or expired is passed over, except
 * that a session cannot say it a second time. Memories of all categories, services and layers are neighbours, as far as they can be about the same thing.
 *
 * - The same in another category or layer is a memory of its own, and the two are linked. A contradiction corrects
 *   whatever the labels are; what belongs to another layer is not weakened, but linked to.
 * - What the agent declares comes before what is guessed. When the quotation fits nothing, only the guess is left. A memory that
 *   is named by its id needs no fitting: a confirmation of it is nothing else, and where it is gone, nothing at all.
 * - A session counts for a memory once: not for what it wrote itself, and not a second time. Such an echo changes
 *   nothing, not even what it contradicts, so that the same session can be captured again without harm.
 * - An agent weakens a memory once, however often it contradicts it (without a name, a session does). An operator's memory goes
 *   inactive by an operator's word alone, unless the operator was in doubt from the start.
 * - What happened earlier than a memory (`occurredAt`) does not weaken it, whatever is declared.
 * - Workflow memories are only deduplicated. A rejection does not make an earlier one untrue, nor an approval: both
 *   happened. A contradiction that is declared holds for them as for others.
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
  const weakened = later
    .filter(({ neighbour }) => isHere(neighbour))
    .map((verdict) => ({
      memory: verdict.neighbour.memory,
      ...contradicted(verdict.neighbour, context),
      ...groundsOf(verdict),
    }))
  const agreeing = verdicts.filter(({ relation }) => relation === 'same').sort((a, b) => b.weight - a.weight)
  const same = agreeing.find(({ neighbour }) => isOwn(candidate, neighbour))
  if (same !== undefined) {
    const { memory } = same.neighbour
    // An event that happens again is no echo, whatever its session has read: the third rejection counts as a third.
    if (same.neighbour.shown && same.weight === SAME_WORDS && !isEvent(candidate)) {
      return { kind: 'duplicate', of: memory, reason: 'the same words, which this session was shown' }
    }
    const reason = missed + same.reason + unsure
    const apart = weakened.filter((each) => settledAs(each.memory, memory) === null)
    const grounds = { ...groundsOf(same), reason }
    return { kind: 'reinforce', memory, confidence: reinforce(memory.confidence), weakened: apart, ...grounds }
  }

  const confidence = clampConfidence(context.confidence ?? DEFAULT_CONFIDENCE)
  const beside = [
    ...agreeing.map(({ neighbour }) => linkTo(neighbour, 'confirms')),
    ...later.filter(({ neighbour }) => !isHere(neighbour)).map(({ neighbour }) => linkTo(neighbour, 'contradicts')),
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

/** What a workflow did is compared with its like alone; a decision or a hint says how things are. */
function isComparable(a: Labelled, b: Labelled): boolean {
  return (a.category === b.category || !(isEvent(a) || isEvent(b))) && canBeSameThing(a, b)
}

function isHere({ elsewhere = false }: Neighbour): boolean {
  return !elsewhere
}

/** Whether saying the same again counts for this memory: in another category or layer it is a memory of its own. What a session was shown it only hands back. */
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

/** What is left of a memory after the opposite was said. */
function contradicted({ memory, opposed }: Neighbour, { vouched }: AdmitContext): Standing {
  if (opposed) return standingOf(memory.confidence)
  const again = memory.links.some(({ relation }) => relation === 'contradictedBy')
  // What an operator gave less than 0.5 was no firm word.
  const doubted = !again && memory.confidence < 0.5 && memory.decayedWeeks === 0
  return weaken(memory.confidence, { stays: memory.trust === 'operator' && !vouched && !doubted })
}

/** What happened before a memory corrects nothing that it says. */
function isEarlier({ occurredAt }: Candidate, memory: Memory): boolean {
  return Boolean(occurredAt) && Date.parse(occurredAt!) < Date.parse(memory.occurredAt ?? memory.createdAt)
}

/** A memory, or another candidate of the same batch, as far as relating looks at it. */
export interface Comparable {
  memory: Pick<Memory, 'content' | 'category' | 'service'> & { metadata?: Memory['metadata'] }
  vector: Float32Array | null
}

/**
 * What `admit` may ask its relater about a candidate, for preparing the relater: the candidate, and what it quotes, beside all that can be
 * about the same thing. Give it the neighbours of every candidate of a capture, and
 * the capture's candidates to each other: what one of them stores is a neighbour of the next.
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
 * The same from the same session, as far as the memories it has written or counted for tell, those that went inactive
 * included. It comes before everything else: what was remembered since the first time must not make the second one count.
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

/** What is decided by the memory that is named alone; null where its meaning has to be looked at too. */
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

/** A correction of the very words it gives is none, and is left to the guess. */
function applyDeclaration(
  candidate: Candidate,
  neighbours: readonly Neighbour[],
  relater: Relater,
  { quotedVector }: AdmitContext,
): Verdict | null {
  if (candidate.declares === undefined || candidate.declares.memory !== undefined) return null
  const { relation, text } = candidate.declares
  const corrects = relation === 'corrects'
  // What was taken out of the quotation may have been another secret than the memory's.
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
  // What was taken out of a redacted text may have differed.
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

/** What labels add: a relation between statements whose labels differ has to be surer. */
const SURE_ACROSS_LABELS = 0.8
/** The same within one answer: it lists what is beside each other more often than it takes something back. */
const SURE_TOGETHER = 0.95

function hasSameLabels(a: Labelled, b: Labelled): boolean {
  return a.category === b.category && isSameService(a.service, b.service)
}

type Labelled = Pick<Memory, 'content' | 'category' | 'service'>

/** What is compared of two statements. */
function claimsOf(one: Labelled, other: Labelled): [string, string] {
  const [a, b] = [one, other].map((each) => ({ content: claimOf(each), service: each.service }))
  return [statementBeside(a!, b!), statementBeside(b!, a!)]
}

/** What an operator has said of such words beside this memory: nobody asks again. */
function settledBefore(
  { content }: Candidate,
  { metadata = {} }: Comparable['memory'],
): Omit<Verdict, 'neighbour'> | null {
  const settled = settledAs({ metadata }, content)
  if (settled === null) return null
  const relation = settled === 'same' ? 'same' : 'other'
  return { relation, weight: settled === 'same' ? DECLARED : 1, reason: `an operator has settled it: ${settled}` }
}

/** Which time round it was: it differs between rejections that say the same. */
const ROUND = /\s*\(cycle \d+\)|\s+after \d+ rejections?(?=:)/g
/** What kind of event it was, which the category says already: `Rejected:` before two texts makes them look like opposites. */
const KIND = /^[A-Z][a-z-]+(?: [a-z]+)?:\s+(?=\S)/

/** What is compared of a text: neither the count of a workflow's rounds nor the kind of its event is part of what it claims. */
function claimOf(memory: Pick<Memory, 'content' | 'category'>): string {
  return isWorkflow(memory) ? memory.content.replace(ROUND, '').replace(KIND, '') : memory.content
}
