import type { Alignment } from './align.ts'
import { type Conflict, netDenials } from './conflict.ts'
import { type Content, isTopic } from './content.ts'
import type { Facets } from './facets.ts'
import { comparable, compareQuantities } from './quantity.ts'
import type { RelationVerdict } from './relation.ts'

/** Two clauses side by side, with the cosine of their statements when there are vectors. */
export interface Comparison {
  one: Facets
  two: Facets
  alignment: Alignment
  similarity: number | null
}

/**
 * How much must be common, as word overlap plus cosine (0 to 2), or as overlap alone (0 to 1) without vectors. `close`:
 * no topic word is left over; `wider`: one statement has some that the other lacks; `apart`: both have, or the conflict
 * is vague; `farApart`: both have, and one takes a side of which the other says nothing.
 */
const ENOUGH = {
  same: { close: 1.15, wider: 1.25, apart: 1.35, farApart: 1.5, wordsOnly: 0.7 },
  contradicts: { close: 1.15, wider: 1.2, apart: 1.45, farApart: 1.45, wordsOnly: 0.65 },
} as const
/** A number that both state is further evidence of one topic. */
const SHARED_NUMBER = 0.1

/** Whether a conflict is real: the statements must be about the same thing. */
export function judgeConflict(conflict: Conflict, pair: Comparison): RelationVerdict {
  if (isDoubtful(conflict, pair)) return other(0.5, `perhaps ${conflict.reason}`)
  const { one, two, alignment } = pair
  const except = new Set([...conflict.words, ...exceptionTo(conflict, pair)])
  const [left, right] = [topics(alignment.restA, except), topics(alignment.restB, except)]
  const rest = [...left, ...right]
  if (otherCondition(left, one) || otherCondition(right, two)) return other(0.6, 'under another condition')
  const apart = left.length > 0 && right.length > 0
  const opposed = conflict.type === 'polarity' || conflict.type === 'axis'
  const narrowed = !opposed && rest.some((content) => narrowsShared(content, alignment))
  if (narrowed || (apart && !opposed)) return other(0.6, 'different subject or aspect')
  const overlap = alignment.overlap(except)
  const implied = conflict.type === 'polarity' && netDenials(one, two).every((denial) => denial.concept !== 'not')
  const unsure = apart || conflict.vague || (implied && rest.length > 0)
  const needed = unsure ? 'apart' : rest.length > 0 ? 'wider' : 'close'
  if (!isEnough('contradicts', overlap, pair.similarity, needed)) return other(0.6, 'different subject or aspect')
  return { relation: 'contradicts', score: confidence(overlap, pair.similarity), reason: conflict.reason }
}

/** Whether statements without a conflict say the same: nothing that matters may be in one of them only. */
export function judgeAgreement({ one, two, alignment, similarity }: Comparison): RelationVerdict {
  const [left, right] = [topics(alignment.restA), topics(alignment.restB)]
  const rest = [...left, ...right]
  const extra = [...unmatchedNumbers(one, two), ...unmatchedNumbers(two, one), ...rest.filter(isSpecific).map(textOf)]
  if (extra.length > 0) return other(0.6, `only one says ${extra.sort()[0]}`)
  if (otherCondition(left, one) || otherCondition(right, two)) return other(0.6, 'under another condition')
  if (isSupposed(one) !== isSupposed(two)) return other(0.6, 'only one is conditional')
  const denials = netDenials(one, two)
  const opposite = [...one.polarity.claims].some(([concept, sign]) => two.polarity.claims.get(concept) === -sign)
  if (opposite && denials.length === 0) return other(0.5, 'opposite words')
  if (denials.length > 1 && denials.every((denial) => denial.concept !== 'not'))
    return other(0.5, 'denied in different ways')
  if (isSubstitution(left, right, alignment)) return other(0.5, `${left[0]?.text} and ${right[0]?.text} may differ`)
  const limited = one.exclusive ? left : right
  if (one.exclusive !== two.exclusive && limited.length > 0) return other(0.6, 'only one is limited')
  if (haveDifferentOccasions(one, two)) return other(0.6, 'another occasion')
  const overlap = alignment.overlap()
  const sided = rest.some(({ concept }) => one.polarity.axes.has(concept) || two.polarity.axes.has(concept))
  const apart = left.length > 0 && right.length > 0
  const needed = apart ? (sided ? 'farApart' : 'apart') : rest.length > 0 ? 'wider' : 'close'
  const number = one.quantities.some((quantity) => quantity.dimension !== 'any') ? SHARED_NUMBER : 0
  if (!isEnough('same', overlap + number, similarity, needed)) return other(0.6, 'too little in common')
  return { relation: 'same', score: confidence(overlap, similarity), reason: 'the same claim' }
}

export function other(score: number, reason: string): RelationVerdict {
  return { relation: 'other', score, reason }
}

/**
 * A denial that is only supposed (`if it is not mounted`), that rests on too many words, or on one word alone where the
 * other side may say the same in a word we do not know.
 */
function isDoubtful(conflict: Conflict, { one, two, alignment }: Comparison): boolean {
  if (conflict.type !== 'polarity') return false
  const denials = netDenials(one, two)
  const [denial] = denials
  if (denial === undefined || denials.length > 2 || denials.some((each) => each.conditional)) return true
  if (one.polarity.retention !== two.polarity.retention) return true
  const measured = [one, two].every(({ quantities }) => quantities.some(({ dimension }) => dimension !== 'any'))
  if (measured && !one.quantities.some((a) => two.quantities.some((b) => comparable(a, b)))) return true
  if (denials.length > 1 || denial.concept === 'not') return false
  if (one.polarity.claims.get(denial.concept) === two.polarity.claims.get(denial.concept)) return true
  const [plain, rest] = one.polarity.denials.includes(denial) ? [two, alignment.restB] : [one, alignment.restA]
  return !plain.polarity.claims.has(denial.concept) && rest.some((content) => content.weight >= 0.8 && !content.minor)
}

/** Denies only inside a condition, so that the denial is no claim. */
function isSupposed({ polarity }: Facets): boolean {
  return polarity.denials.length > 0 && polarity.denials.every((denial) => denial.conditional)
}

/** `at any time` is denied by a single case, so the words that name the case show no other topic. */
function exceptionTo(conflict: Conflict, { one, two, alignment }: Comparison): readonly Content[] {
  if (conflict.type !== 'polarity' || one.universal === two.universal) return []
  const { restA, restB } = alignment
  const [general, rest, exception] = one.universal ? [one, restA, restB] : [two, restB, restA]
  if (general.polarity.sign === -1 || topics(rest).length > 0) return []
  return exception.filter((content) => content.conditional || OCCASION.has(content.marker))
}

const OCCASION = new Set(['on', 'in', 'at', 'for'])

/** `after mounting` against `after a crash`: the same is done, but at another time. */
function haveDifferentOccasions(one: Facets, two: Facets): boolean {
  if (one.order === null || two.order === null) return false
  const apart = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size > 0 && b.size > 0 && a.isDisjointFrom(b)
  return apart(one.order.earlier, two.order.earlier) || apart(one.order.later, two.order.later)
}

/** `refresh tokens` against `tokens`: a number for some need not hold for all. */
function narrowsShared(content: Content, { shared }: Alignment): boolean {
  return shared.some((each) => each.concept === content.narrows)
}

/** All alike but for one word each, in the same place: as likely an opposite that we do not know as a synonym. */
function isSubstitution(left: readonly Content[], right: readonly Content[], alignment: Alignment): boolean {
  const [[one, ...more], [two, ...others]] = [left, right]
  if (one === undefined || two === undefined || more.length + others.length > 0) return false
  return one.marker === two.marker && alignment.overlap(new Set([one, two])) >= 0.9
}

/** Whether the words that are left over name a condition of which the other statement has nothing. */
function otherCondition(rest: readonly Content[], { content }: Facets): boolean {
  const condition = content.filter((each) => each.conditional && isTopic(each))
  return condition.length > 0 && condition.every((each) => rest.includes(each))
}

/** What a paraphrase would not leave out: a name, a thing. */
function isSpecific(content: Content): boolean {
  return content.named || content.kind !== null
}

function textOf(content: Content): string {
  return content.text
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
  needed: 'close' | 'wider' | 'apart' | 'farApart',
): boolean {
  if (similarity === null) return (needed === 'close' || needed === 'wider') && overlap >= ENOUGH[relation].wordsOnly
  return overlap + similarity >= ENOUGH[relation][needed]
}

function confidence(overlap: number, similarity: number | null): number {
  const score = similarity === null ? 0.5 + 0.3 * overlap : 0.5 + 0.25 * overlap + 0.25 * Math.max(0, similarity)
  return Math.round(Math.min(1, score) * 100) / 100
}
