import type { Alignment } from './align.ts'
import type { Content } from './content.ts'
import type { Facets } from './facets.ts'
import type { Denial } from './polarity.ts'
import { comparable, compareQuantities, type Quantity } from './quantity.ts'
import { findRivals } from './values.ts'

/** A point on which two statements differ so that both cannot hold, if they speak about the same thing. */
export interface Conflict {
  type: 'polarity' | 'axis' | 'order' | 'quantity' | 'value' | 'scope'
  reason: string
  /** The words that are the conflict, and so no evidence of different topics. */
  words: readonly Content[]
  /** Needs more in common than others before it is believed. */
  vague?: boolean
}

/** All points of conflict between two clauses. */
export function findConflicts(a: Facets, b: Facets, alignment: Alignment): Conflict[] {
  return [
    polarityConflict(a, b, alignment),
    axisConflict(a, b),
    quantityConflict(a.quantities, b.quantities),
    valueConflict(alignment),
    scopeConflict(a, b, alignment),
  ].filter((conflict) => conflict !== null)
}

/** Negations, negative words and turned order cancel each other out; what is left over is a denial. */
function polarityConflict(a: Facets, b: Facets, alignment: Alignment): Conflict | null {
  const turned = isTurned(a, b)
  if ((a.polarity.sign !== b.polarity.sign) === turned || alignment.shared.length === 0) return null
  if (turned) return { type: 'order', reason: 'the order is turned around', words: [] }
  const words = netDenials(a, b).map((denial) => denial.text)
  return { type: 'polarity', reason: `one denies it (${words.sort().join(', ')})`, words: [] }
}

/** The denials of both, without those that they have in common. */
export function netDenials(a: Facets, b: Facets): Denial[] {
  const open = [...b.polarity.denials]
  const left = a.polarity.denials.filter((denial) => {
    const at = open.findIndex((other) => other.concept === denial.concept)
    if (at >= 0) open.splice(at, 1)
    return at < 0
  })
  return [...left, ...open]
}

function isTurned(a: Facets, b: Facets): boolean {
  if (a.order === null || b.order === null) return false
  const common = (one: ReadonlySet<string>, two: ReadonlySet<string>) => one.intersection(two).size
  const straight = common(a.order.earlier, b.order.earlier) + common(a.order.later, b.order.later)
  const crossed = common(a.order.earlier, b.order.later) + common(a.order.later, b.order.earlier)
  return crossed > straight
}

function axisConflict(a: Facets, b: Facets): Conflict | null {
  for (const [axis, side] of a.polarity.axes) {
    if (b.polarity.axes.get(axis) === -side) return { type: 'axis', reason: `opposite sides of ${axis}`, words: [] }
  }
  return null
}

function quantityConflict(a: readonly Quantity[], b: readonly Quantity[]): Conflict | null {
  for (const one of a) {
    const others = b.filter((other) => comparable(one, other))
    if (others.length === 0 || others.some((other) => compareQuantities(one, other) !== 'different')) continue
    const [first, second] = [one.text, others[0]?.text ?? ''].sort()
    const measured = one.dimension === 'any' ? (others[0]?.dimension ?? 'quantity') : one.dimension
    const vague =
      others.every((other) => other.dimension !== one.dimension || other.subject !== one.subject) &&
      !isEndless(one, others)
    return { type: 'quantity', reason: `${first} and ${second} for one ${measured}`, words: [], vague }
  }
  return null
}

function isEndless(one: Quantity, others: readonly Quantity[]): boolean {
  return [one, ...others].some((quantity) => quantity.dimension === 'any')
}

function valueConflict(alignment: Alignment): Conflict | null {
  const rivals = findRivals(alignment)
  if (rivals === null) return null
  const [first, second] = rivals.map((value) => value.map((content) => content.text).join(' ')).sort()
  return {
    type: 'value',
    reason: `${first} and ${second} in one place`,
    words: rivals.flat(),
    vague: !rivals.flat().some((content) => content.named || content.kind !== null),
  }
}

/** `only admins` against `anyone`: the words that name the few are part of the conflict. */
function scopeConflict(a: Facets, b: Facets, { restA, restB }: Alignment): Conflict | null {
  const limits = (one: Facets, two: Facets) => one.exclusive && two.universal && !two.exclusive
  if (!limits(a, b) && !limits(b, a)) return null
  const [few, rest] = limits(a, b) ? [restA, restB] : [restB, restA]
  const words = [...few, ...rest.filter((content) => content.concept === 'everyone')]
  return { type: 'scope', reason: 'only some against any', words, vague: true }
}
