import { type Alignment, align } from './align.ts'
import { type Conflict, findConflicts, netDenials } from './conflict.ts'
import { type Content, isTopic } from './content.ts'
import { type Facets, readFacets } from './facets.ts'
import { comparable, compareQuantities } from './quantity.ts'

/** How two statements stand to each other. Whatever is not certain is `other`. */
export type Relation = 'same' | 'contradicts' | 'other'

export interface RelationVerdict {
  relation: Relation
  /** How sure it is: 0 to 1. */
  score: number
  /** For people: `60s and 90s for one duration`. */
  reason: string
}

/** A statement, with its unit-length embedding when there is one. */
export interface Statement {
  text: string
  vector: Float32Array | null
}

/** Decides how two statements stand to each other; a learned model can take the place of the rules. */
export interface Relater {
  relate(a: Statement, b: Statement): RelationVerdict
}

/**
 * How much two statements must have in common, as word overlap plus cosine (0 to 2), or as overlap alone (0 to 1) without
 * vectors. `apart` is for statements that each have a topic word which the other lacks; without vectors those are never
 * decided.
 */
const ENOUGH = {
  same: { close: 1.15, apart: 1.3, wordsOnly: 0.7 },
  contradicts: { close: 1.15, apart: 1.45, wordsOnly: 0.65 },
} as const
/** A number that both state is further evidence of one topic. */
const SHARED_NUMBER = 0.1

/** Relates by rules: the words show what differs, words and embeddings together whether the topic is the same. */
export function ruleRelater(): Relater {
  return {
    relate(a, b) {
      // One fixed order, so that the verdict cannot depend on which came first.
      return a.text <= b.text ? decide(a, b) : decide(b, a)
    },
  }
}

function decide(a: Statement, b: Statement): RelationVerdict {
  const pair = closestClauses(readFacets(a.text), readFacets(b.text))
  const similarity = cosine(a.vector, b.vector)
  const { one, two } = pair
  if (one.environments.size > 0 && two.environments.size > 0 && one.environments.isDisjointFrom(two.environments)) {
    return other(0.9, 'different environments')
  }
  const conflicts = findConflicts(one, two, pair.alignment)
  const [conflict, second] = conflicts
  if (conflict === undefined) return judgeAgreement(pair, similarity)
  if (second !== undefined && conflicts.every((each) => each.type !== 'scope')) {
    return other(0.6, `differs twice: ${conflict.reason}; ${second.reason}`)
  }
  if (isDoubtful(conflict, pair)) return other(0.5, `perhaps ${conflict.reason}`)
  return judgeConflict(conflict, pair, similarity)
}

interface ClausePair {
  one: Facets
  two: Facets
  alignment: Alignment
}

/** Of statements with several clauses, the two that have most in common. */
function closestClauses(a: readonly Facets[], b: readonly Facets[]): ClausePair {
  const pairs = a.flatMap((one) => b.map((two) => ({ one, two, alignment: align(one, two) })))
  return pairs.reduce((best, pair) => (pair.alignment.overlap() > best.alignment.overlap() ? pair : best))
}

/** A denial that rests on too many words, or on one word alone where the other side may say the same in unknown words. */
function isDoubtful(conflict: Conflict, { one, two, alignment }: ClausePair): boolean {
  if (conflict.type !== 'polarity') return false
  const denials = netDenials(one, two)
  const [denial] = denials
  if (one.polarity.retention !== two.polarity.retention || denial === undefined || denials.length > 2) return true
  if (denials.length > 1 || denial.concept === 'not') return false
  const [plain, rest] = one.polarity.denials.includes(denial) ? [two, alignment.restB] : [one, alignment.restA]
  return !plain.polarity.claims.has(denial.concept) && rest.some((content) => content.weight >= 1 && !content.minor)
}

/** `at any time` is denied by a single case, so the words that name the case show no other topic. */
function exceptionTo(conflict: Conflict, { one, two, alignment }: ClausePair): readonly Content[] {
  if (conflict.type !== 'polarity' || one.universal === two.universal) return []
  const { restA, restB } = alignment
  const [general, rest, exception] = one.universal ? [one, restA, restB] : [two, restB, restA]
  return general.polarity.sign === 1 && topics(rest).length === 0 ? exception : []
}

function judgeConflict(conflict: Conflict, pair: ClausePair, similarity: number | null): RelationVerdict {
  const { alignment } = pair
  const except = new Set(conflict.words)
  for (const content of exceptionTo(conflict, pair)) except.add(content)
  const [left, right] = [topics(alignment.restA, except), topics(alignment.restB, except)]
  if ([...left, ...right].some((content) => content.conditional)) return other(0.6, 'under another condition')
  const apart = left.length > 0 && right.length > 0
  const opposed = conflict.type === 'polarity' || conflict.type === 'axis'
  const overlap = alignment.overlap(except)
  if ((apart && !opposed) || !isEnough('contradicts', overlap, similarity, apart)) {
    return other(0.6, 'different subject or aspect')
  }
  return { relation: 'contradicts', score: confidence(overlap, similarity), reason: conflict.reason }
}

function judgeAgreement({ one, two, alignment }: ClausePair, similarity: number | null): RelationVerdict {
  const [left, right] = [topics(alignment.restA), topics(alignment.restB)]
  const extra = [
    ...unmatchedNumbers(one, two),
    ...unmatchedNumbers(two, one),
    ...[...left, ...right].filter(isSpecific).map((content) => content.text),
  ]
  if (extra.length > 0) return other(0.6, `only one says ${extra[0]}`)
  const opposite = [...one.polarity.claims].some(([concept, sign]) => two.polarity.claims.get(concept) === -sign)
  if (opposite && netDenials(one, two).length === 0) return other(0.5, 'opposite words')
  if (one.exclusive !== two.exclusive && (one.exclusive ? left : right).length > 0)
    return other(0.6, 'only one is limited')
  const apart = left.length > 0 && right.length > 0
  const overlap = alignment.overlap()
  const number = one.quantities.length > 0 ? SHARED_NUMBER : 0
  if (!isEnough('same', overlap, similarity, apart, number)) return other(0.6, 'too little in common')
  return { relation: 'same', score: confidence(overlap, similarity), reason: 'the same claim' }
}

/** What a paraphrase would not leave out: a name, a thing, a condition. */
function isSpecific(content: Content): boolean {
  return content.named || content.kind !== null || content.conditional
}

function unmatchedNumbers(a: Facets, b: Facets): string[] {
  return a.quantities
    .filter((one) => one.text !== 'never')
    .filter((one) => !b.mentioned.some((two) => comparable(one, two) && compareQuantities(one, two) === 'equal'))
    .map((one) => one.text)
}

function topics(rest: readonly Content[], except: ReadonlySet<Content> = new Set()): Content[] {
  return rest.filter((content) => isTopic(content) && !except.has(content))
}

function isEnough(
  relation: keyof typeof ENOUGH,
  overlap: number,
  similarity: number | null,
  apart: boolean,
  bonus = 0,
): boolean {
  const { close, apart: far, wordsOnly } = ENOUGH[relation]
  if (similarity === null) return !apart && overlap >= wordsOnly
  return overlap + similarity + bonus >= (apart ? far : close)
}

function other(score: number, reason: string): RelationVerdict {
  return { relation: 'other', score, reason }
}

function confidence(overlap: number, similarity: number | null): number {
  const score = similarity === null ? 0.5 + 0.3 * overlap : 0.5 + 0.25 * overlap + 0.25 * Math.max(0, similarity)
  return Math.round(Math.min(1, score) * 100) / 100
}

/** Of two unit vectors; null when one is missing or they come from different models. */
function cosine(a: Float32Array | null, b: Float32Array | null): number | null {
  if (a === null || b === null || a.length !== b.length) return null
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
