import { breathe } from '../../model/breathe.ts'
import { MemoryError } from '../../model/errors.ts'
import { isEnglish } from '../../text/english.ts'
import { partAbout } from '../parts.ts'
import { areOfSeveral, holdElsewhere, isNeedAndFailure, isParallel } from './apart.ts'
import { areBothPossible, areFramedApart } from './frames.ts'
import type { Likelihoods, Relation, RelationVerdict, TextPair } from './relation.ts'
import { keyOf, type RelationModel } from './relation-model.ts'
import { verdictOf } from './verdict.ts'
import { addsTo, differenceOf, isRedacted, isReordered, sameButRedacted, sameWording } from './wording.ts'

export type { Relation, RelationVerdict } from './relation.ts'

/** A statement, with its unit-length embedding if it has one. */
export interface Statement {
  text: string
  vector: Float32Array | null
}

/** Two statements that a decision will ask about. */
export interface StatementPair {
  a: Statement
  b: Statement
  /** Their labels differ, so they must be closer before the model is asked. */
  apart?: boolean
}

/** Decides how two statements relate. Their order makes no difference. */
export interface Relater {
  relate(a: Statement, b: Statement): RelationVerdict
}

export interface PrepareOptions {
  /** Asked about pairs with different words; without a model they are all `other`. */
  model?: RelationModel | null
  /** The model is not asked about pairs below this cosine: `floorFor` the provider. Default: COSINE_FLOOR. */
  floor?: number
}

/**
 * Pairs below this are seldom related, and the model wrongly calls one in twenty of them a contradiction. On pairs_dev2
 * this floor keeps all verdicts and removes nearly half of the false contradictions among mined strangers (decision
 * 009).
 */
export const COSINE_FLOOR = 0.5
/** The same for vectors based on words rather than meaning: keeps 96 % of the related pairs and 7 of the 57. */
const WORD_FLOOR = 0.2

/** Extra cosine required for statements with different labels. */
const NEARER = 0.1

/** For embedding models that were not measured: lower, because a relation that is not checked is lost. */
const FOREIGN_FLOOR = 0.4

/** The floor for an embedding provider, by its name. */
export function floorFor(provider: string): number {
  if (provider.startsWith('hashing:')) return WORD_FLOOR
  return provider.startsWith('local:') ? COSINE_FLOOR : FOREIGN_FLOOR
}

/**
 * Asks the model about all pairs at once, and returns a synchronous relater. A pair that was not prepared or could not
 * be asked about is `same` by its words, or `other`. It never rejects because of a missing model: the verdicts say so.
 */
export async function prepareRelater(
  pairs: Iterable<StatementPair>,
  { model = null, floor = COSINE_FLOOR }: PrepareOptions = {},
): Promise<Relater> {
  const far = new Set<string>()
  const near: TextPair[] = []
  for (const { a, b, apart = false } of pairs) {
    await breathe()
    const pair: TextPair = [plain(a.text), plain(b.text)]
    if (byWords(...pair) !== null) continue
    if ((cosineOf(a.vector, b.vector) ?? 1) < floor + (apart ? NEARER : 0)) far.add(keyOf(pair))
    else if (byRules(...pair) === null) near.push(pair, ...partsOf(pair))
  }
  const { answers, failure } = await ask(model, near)
  return relaterOf(new Map(answers.map(([pair, likely]) => [keyOf(pair), likely])), far, failure)
}

/** The model's answer for each pair (null: too long), and the pairs too dissimilar to ask about. */
function relaterOf(
  likelihoods: ReadonlyMap<string, Likelihoods | null>,
  far: ReadonlySet<string>,
  failure: string | null,
): Relater {
  return {
    relate(a, b) {
      const pair: TextPair = [plain(a.text), plain(b.text)]
      const settled = byWords(...pair)
      if (settled) return settled
      const key = keyOf(pair)
      const likely = likelihoods.get(key)
      if (likely) {
        const verdict = explain(pair, [a.text, b.text], likely)
        return (verdict.relation === 'other' ? contradictedPart(pair, likelihoods) : null) ?? verdict
      }
      if (likely === undefined && far.has(key)) return other('too far apart to be about the same', 0.99)
      const ruled = byRules(...pair)
      if (ruled) return ruled
      if (likely === null) return other('different words, and too long to compare by meaning')
      return other(`different words, ${failure ?? 'not compared by meaning'}`)
    },
  }
}

/** `The cache lives 10 minutes and the queue holds 500 jobs` beside a note about the cache alone: the pair of what both are about. */
function partsOf([a, b]: TextPair): TextPair[] {
  const [one, two] = [partAbout(a, b), partAbout(b, a)]
  return [...(one === null ? [] : [[plain(one), b] as const]), ...(two === null ? [] : [[a, plain(two)] as const])]
}

/** The verdict on the part that the other note contradicts, if it does. */
function contradictedPart(
  pair: TextPair,
  likelihoods: ReadonlyMap<string, Likelihoods | null>,
): RelationVerdict | null {
  for (const part of partsOf(pair)) {
    const likely = likelihoods.get(keyOf(part))
    const verdict = likely && byRules(...part) === null ? explain(part, part, likely) : null
    if (verdict?.relation === 'contradicts' && verdict.score >= SURE_OF_PART) return verdict
  }
  return null
}

/** A final full stop must not affect the result, so every statement gets one. */
function plain(text: string): string {
  const words = text.trim().replace(/\s+/g, ' ')
  return /[.!?]$/.test(words) ? words : `${words}.`
}

/** What the words settle without the model. */
function byWords(a: string, b: string): RelationVerdict | null {
  if (isBlank(a) || isBlank(b)) return other('one of them says nothing', 1)
  if (sameWording(a, b)) {
    return { relation: 'same', score: 1, reason: 'the same words, after numbers and notation are normalised' }
  }
  if (sameButRedacted(a, b)) return other('the same words, but what was redacted may have differed')
  if (addsTo(a, b)) return other('one repeats the other and adds something', 0.9)
  return null
}

/** Cases of similar statements that are not sent to the model. */
function byRules(a: string, b: string): RelationVerdict | null {
  // The model is trained on English and misjudges other languages.
  if (!isEnglish(a) || !isEnglish(b)) return other('different words, and not compared in this language')
  if (isParallel(a, b)) return other('the same statement about two different things', 0.9)
  if (areFramedApart(a, b)) return other('each applies at a place or time where the other does not', 0.9)
  if (areOfSeveral(a, b)) return other('two of possibly several values', 0.8)
  const difference = differenceOf(a, b)
  if (difference?.kind !== 'names' || ONE_OF_A_KIND.test(a)) return null
  return other(`the same words about ${difference.one} and ${difference.other}`, 0.9)
}

/** Where only one thing can have the property, another name is another claim. */
const ONE_OF_A_KIND = /\b(?:only|the (?:primary|main|leader|master|default|current|active|public|standby))\b/i

/** By words alone: statements in different words are `other`. */
export const wordRelater: Relater = relaterOf(new Map(), new Set(), null)

/** Each pair once, in either order. */
async function ask(
  model: RelationModel | null,
  pairs: readonly TextPair[],
): Promise<{ answers: [TextPair, Likelihoods | null][]; failure: string | null }> {
  const asked = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()]
  if (model === null || asked.length === 0) return { answers: [], failure: null }
  try {
    const answers = await model.ask(asked)
    return { answers: asked.map((pair, i) => [pair, answers[i]!]), failure: null }
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    // A memory that is stored twice can be merged later; one that was not stored is lost.
    return { answers: [], failure: `not compared by meaning (${error.message})` }
  }
}

const WORDS: Record<Relation, string> = { same: 'the same', contradicts: 'a contradiction', other: 'something else' }

function explain([a, b]: TextPair, [one, two]: TextPair, likely: Likelihoods): RelationVerdict {
  const judged = verdictOf(likely)
  const overlooked = lookAgain(a, b, judged)
  if (overlooked !== null) return overlooked
  const { relation, score } = judged
  const doubt = relation === 'other' && score < 0.5 ? 'not certain enough for a repetition or a contradiction' : null
  const sure = doubt ?? `${WORDS[relation]} by meaning, ${Math.round(score * 100)} % sure`
  return { relation, score, reason: `${sure}: ${quote(one)} and ${quote(two)}` }
}

/** 99 % of pairs that differ in one value are contradictions (decision 009), so "other" needs this score. */
const SURE_OF_VALUE = 0.85
/** A part lacks the rest of its note, so it must contradict more clearly. */
const SURE_OF_PART = 0.8
/** 93 % of pairs with the same words in another order are contradictions; the rest are moved clauses. */
const SURE_OF_ORDER = 0.95
/** The position of these words decides the meaning: `not all` and `all ... not`. */
const TURNS = /\b(?:not|no|never|only)\b|n['’]t\b/i

/**
 * Overrides the model where the words contradict it: it overlooks signs, case, code, order and numbers in words. Null
 * to keep its verdict.
 */
function lookAgain(a: string, b: string, { relation, score }: Omit<RelationVerdict, 'reason'>): RelationVerdict | null {
  const isSame = relation === 'same'
  if (relation === 'contradicts' && holdElsewhere(a, b))
    return other('each applies at a place or time where the other does not', 0.7)
  if (relation === 'contradicts' && areBothPossible(a, b)) return other('two of possibly several values', 0.7)
  if (relation === 'contradicts' && isNeedAndFailure(a, b))
    return other('one says what is needed, and the other what fails without it', 0.7)
  const difference = differenceOf(a, b)
  if (difference !== null) {
    const { kind, places } = difference
    const reason = `the same words except ${difference.one} and ${difference.other}`
    if (kind === 'marks' || (kind === 'code' && isSame)) return other(reason)
    const isUnsure = relation === 'other' && places === 1 && score < SURE_OF_VALUE
    if (kind === 'values' && (isSame || isUnsure)) {
      return { relation: 'contradicts', score: 0.9, reason: `a contradiction: ${reason}` }
    }
  }
  if (isSame && (score < SURE_OF_ORDER || TURNS.test(a)) && isReordered(a, b)) {
    return other('the same words in another order, which may change the meaning')
  }
  if (isSame && (isRedacted(a) || isRedacted(b))) return other('what was redacted may have differed')
  return null
}

function other(reason: string, score = 0.5): RelationVerdict {
  return { relation: 'other', score, reason }
}

function quote(text: string): string {
  return `“${text.length <= 60 ? text : `${text.slice(0, 59).trimEnd()}…`}”`
}

function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text)
}

/** The cosine of two unit vectors; null if one is missing or they come from different models. */
export function cosineOf(a: Float32Array | null, b: Float32Array | null): number | null {
  if (a === null || b === null || a.length !== b.length) return null
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!
  return sum
}
