import { MemoryError } from '../../model/errors.ts'
import { judge } from './judge.ts'
import type { Likelihoods, Relation, RelationVerdict, TextPair } from './relation.ts'
import { keyOf, type RelationModel } from './relation-model.ts'
import { differenceOf, isRedacted, sameButRedacted, sameWording } from './wording.ts'

export type { Relation, RelationVerdict } from './relation.ts'

/** A statement, with its unit-length embedding when there is one. */
export interface Statement {
  text: string
  vector: Float32Array | null
}

/** Two statements that a decision will ask about. */
export interface StatementPair {
  a: Statement
  b: Statement
}

/** Decides how two statements stand to each other. The order of the two makes no difference. */
export interface Relater {
  relate(a: Statement, b: Statement): RelationVerdict
}

export interface PrepareOptions {
  /** Asked about pairs of different words; without one they are all `other`. */
  model?: RelationModel | null
  /** Pairs below this cosine are not asked about: `floorFor` the provider. Default: COSINE_FLOOR. */
  floor?: number
}

/**
 * Neighbours that lie farther apart are seldom related, and one in twenty of those strangers the model calls a contradiction: on pairs_dev2 this
 * keeps all verdicts, and of the false ones about mined strangers nearly a half go (decision 009).
 */
export const COSINE_FLOOR = 0.5
/** The same for vectors that know words, not meaning: keeps 96 % of the related pairs and 7 of the 57. */
const WORD_FLOOR = 0.2

/** For models of others, whose cosines were not measured: lower, because a relation that is not asked about is lost. */
const FOREIGN_FLOOR = 0.4

/** The floor for the vectors of an embedding provider, by its name. */
export function floorFor(provider: string): number {
  if (provider.startsWith('hashing:')) return WORD_FLOOR
  return provider.startsWith('local:') ? COSINE_FLOOR : FOREIGN_FLOOR
}

/** So many that lie nearest to a statement are asked about first. */
const FIRST = 2

interface Near {
  pair: TextPair
  cosine: number
}

/**
 * Asks the model about all pairs, and returns a relater that answers from that at once and without waiting. About what lies
 * farther from the first statement of a pair than two others it is asked only where one of those is related to it. A
 * pair that was not prepared, or that the model could not be asked about, is the same by its words or `other`. It never
 * rejects for want of a model: the verdicts say so.
 */
export async function prepareRelater(
  pairs: Iterable<StatementPair>,
  { model = null, floor = COSINE_FLOOR }: PrepareOptions = {},
): Promise<Relater> {
  const spared = new Map<string, string>()
  const near: Near[] = []
  const related = new Set<string>()
  for (const { a, b } of pairs) {
    const pair: TextPair = [a.text, b.text]
    const settled = byWords(a.text, b.text)
    if (settled?.relation === 'same') related.add(a.text)
    if (settled !== null) continue
    const cosine = cosineOf(a.vector, b.vector) ?? 1
    if (cosine < floor) spared.set(keyOf(pair), 'too far apart to be about the same')
    else near.push({ pair, cosine })
  }
  const first = nearestOf(near)
  const early = await ask(model, first)
  for (const [[text], likely] of early.answers) if (likely && judge(likely).relation !== 'other') related.add(text)
  const rest = near.map(({ pair }) => pair).filter((pair) => !first.includes(pair))
  const late = await ask(
    model,
    rest.filter(([text]) => related.has(text)),
  )
  const likelihoods = new Map([...early.answers, ...late.answers].map(([pair, likely]) => [keyOf(pair), likely]))
  const failure = early.failure ?? late.failure
  for (const pair of model === null || failure !== null ? [] : rest) {
    spared.set(keyOf(pair), 'what lies nearer is about something else')
  }
  return relaterOf(likelihoods, spared, failure)
}

/** Of each first statement the pairs with what lies nearest to it. */
function nearestOf(near: readonly Near[]): TextPair[] {
  return [...Map.groupBy(near, ({ pair }) => pair[0]).values()]
    .flatMap((group) => group.toSorted((one, two) => two.cosine - one.cosine).slice(0, FIRST))
    .map(({ pair }) => pair)
}

/** What the model said of each pair (null: too long), and the pairs it was spared, with why. */
function relaterOf(
  likelihoods: ReadonlyMap<string, Likelihoods | null>,
  spared: ReadonlyMap<string, string>,
  failure: string | null,
): Relater {
  return {
    relate(a, b) {
      const settled = byWords(a.text, b.text)
      if (settled) return settled
      const key = keyOf([a.text, b.text])
      const likely = likelihoods.get(key)
      if (likely) return explain(a.text, b.text, likely)
      if (likely === undefined && spared.has(key)) return other(spared.get(key)!, 0.99)
      if (likely === null) return other('different words, and too long to compare by meaning')
      return other(`different words, ${failure ?? 'not compared by meaning'}`)
    },
  }
}

/** What the words themselves settle, so that no model is asked. */
function byWords(a: string, b: string): RelationVerdict | null {
  if (isBlank(a) || isBlank(b)) return other('one of them says nothing', 1)
  if (sameWording(a, b)) {
    return { relation: 'same', score: 1, reason: 'the same words, with numbers and notation made alike' }
  }
  if (sameButRedacted(a, b)) return other('the same words, but something was taken out, and may have differed')
  const difference = differenceOf(a, b)
  if (difference?.kind !== 'names') return null
  return other(`the same words about ${difference.one} and ${difference.other}`, 0.9)
}

/** By words alone: what is said in other words is `other`. */
export const wordRelater: Relater = relaterOf(new Map(), new Map(), null)

/** Each pair once, whichever way round. */
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

function explain(a: string, b: string, likely: Likelihoods): RelationVerdict {
  const judged = judge(likely)
  const { score } = judged
  const difference = judged.relation === 'same' ? differenceOf(a, b) : null
  // The model overlooks signs, case and numbers in words.
  if (difference?.kind === 'marks') return other(`the same words but for ${difference.one} and ${difference.other}`)
  const relation = difference?.kind === 'values' ? 'contradicts' : judged.relation
  if (relation === 'same' && (isRedacted(a) || isRedacted(b))) {
    return other('something was taken out of one, and may have differed')
  }
  const doubt = relation === 'other' && score < 0.5 ? 'too unsure to call it the same or a contradiction' : null
  const sure = doubt ?? `${WORDS[relation]} by meaning, ${Math.round(score * 100)} % sure`
  return { relation, score, reason: `${sure}: ${quote(a)} and ${quote(b)}` }
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

/** Of two unit vectors; null when one is missing or they come from different models. */
function cosineOf(a: Float32Array | null, b: Float32Array | null): number | null {
  if (a === null || b === null || a.length !== b.length) return null
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!
  return sum
}
