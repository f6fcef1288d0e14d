import type { Candidate } from '../model/candidate.ts'
import { isEvent, isWorkflow } from '../model/categories.ts'
import type { Memory } from '../model/memory.ts'
import { isSameService } from '../model/service-name.ts'
import type { AdmitContext } from './admission.ts'
import { settledAs } from './decisions.ts'
import { findQuoted, type Neighbour, sameWords } from './quotation.ts'
import type { Relater, StatementPair } from './relate/relate.ts'
import { isRedacted } from './relate/wording.ts'
import { canBeSameThing, statementBeside } from './subject.ts'

/** How the candidate relates to one neighbour. */
export interface Verdict {
  neighbour: Neighbour
  relation: 'same' | 'contradicts' | 'other'
  /** Of several memories with the same meaning, the one with the highest weight is reinforced. */
  weight: number
  reason: string
}

export const SAME_WORDS = 2
export const DECLARED = 3

/** Workflow events are only compared with each other; a decision or hint describes how things are. */
export function isComparable(a: Labelled, b: Labelled): boolean {
  return (a.category === b.category || !(isEvent(a) || isEvent(b))) && canBeSameThing(a, b)
}

/** Whether a candidate can correct this memory: by its own text, or by what it quotes as wrong. */
export function canCorrect(candidate: Candidate, memory: Labelled): boolean {
  const { declares } = candidate
  if (isComparable(candidate, memory)) return true
  return declares?.relation === 'corrects' && isComparable({ ...candidate, content: declares.text }, memory)
}

export function isHere({ elsewhere = false }: Neighbour): boolean {
  return !elsewhere
}

/**
 * Whether repeating this memory reinforces it: not in another category or layer, where it becomes a new memory, and not
 * if the session only repeats what it was shown.
 */
export function isOwn(candidate: Candidate, { memory, elsewhere = false, shown }: Neighbour): boolean {
  if (memory.category !== candidate.category) return false
  return !elsewhere || (shown && sameWords(memory.content, candidate.content))
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
  const quotable = neighbours.filter(({ memory }) => canCorrect(candidate, memory))
  return [...pairs, ...quotable.map((each) => ({ a: quoted, b: { text: each.memory.content, vector: each.vector } }))]
}

/** A "correction" that repeats the memory's own words is ignored; the model decides. */
export function applyDeclaration(
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

export function relateTo(
  candidate: Candidate,
  neighbour: Neighbour,
  relater: Relater,
  { vector }: AdmitContext,
): Verdict {
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
/** Within one answer: an answer often lists related things, and rarely takes something back. */
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
