import { CONDITIONS, type Token } from './normalize.ts'
import { isTimeUnit, type Quantity } from './quantity.ts'

type Sign = 1 | -1

/** A word that denies: as written, and its concept. */
export interface Denial {
  text: string
  concept: string
  /** Stands in a condition (`if it is not mounted`), where nothing is claimed yet. */
  conditional: boolean
}

/** Which way a clause claims what it claims. */
export interface Polarity {
  /** -1 when the clause as a whole denies. */
  sign: Sign
  denials: readonly Denial[]
  /** The sign of each predicate, as it stands. */
  claims: ReadonlyMap<string, Sign>
  /** The side of each opposition it takes. */
  axes: ReadonlyMap<string, Sign>
  /** Speaks of how long something is kept: `removed after 3 days`. */
  retention: boolean
}

const ENDLESS: Quantity = {
  dimension: 'any',
  subject: 'keep',
  bound: 'exact',
  low: Infinity,
  high: Infinity,
  text: 'never',
}

/** Reads the polarity. Quantities that a denial turns around or implies are changed in place. */
export function readPolarity(tokens: readonly Token[], quantities: Quantity[]): Polarity {
  const axes = readAxes(tokens)
  const claims = new Map<string, Sign>()
  const denials: Denial[] = []
  let retention = false
  tokens.forEach((token, at) => {
    if (token.role === 'predicate') claims.set(token.concept, token.sign)
    if (token.sign === 1 || (token.role !== 'predicate' && token.role !== 'negator')) return
    if (isAttribute(tokens, at) || axes.negators.has(at)) return
    if (token.concept === 'keep' && isRetention(tokens, at)) {
      retention = true
      claims.set('keep', 1)
    } else denials.push({ text: token.text, concept: token.concept, conditional: inCondition(tokens, at) })
  })
  const negated = denials.some((denial) => denial.concept === 'not')
  // What is never removed is kept without end.
  if (negated && quantities.length === 0 && lastsForever(tokens)) quantities.push({ ...ENDLESS })
  if (claims.has('keep')) {
    for (const quantity of quantities) if (quantity.dimension === 'duration') quantity.subject = 'keep'
  }
  const negative = denials.length % 2 === 1
  if (negative && (turnBounds(tokens, quantities) || (negated && turnCount(quantities)))) {
    return { sign: 1, denials: [], claims: new Map(), axes: new Map(), retention }
  }
  return { sign: negative ? -1 : 1, denials, claims, axes: axes.sides, retention }
}

/** `not automatic` takes the other side, and its negator denies nothing else. Both sides at once is none. */
function readAxes(tokens: readonly Token[]): { sides: Map<string, Sign>; negators: Set<number> } {
  const sides = new Map<string, Sign>()
  const negators = new Set<number>()
  const mixed = new Set<string>()
  tokens.forEach((token, at) => {
    if (token.role !== 'axis') return
    const negator = negatorOf(tokens, at)
    if (negator !== null) negators.add(negator)
    const side: Sign = negator === null ? token.sign : token.sign === 1 ? -1 : 1
    if ((sides.get(token.concept) ?? side) !== side) mixed.add(token.concept)
    sides.set(token.concept, side)
  })
  for (const axis of mixed) sides.delete(axis)
  return { sides, negators }
}

/** Negators of a word; `no` and `without` negate a thing. */
const ADVERBS = new Set(['not', 'never'])

/** In `without a local daemon` the daemon is negated, not the adjective. */
function negatorOf(tokens: readonly Token[], at: number): number | null {
  const next = tokens[at + 1]
  if (next !== undefined && next.role !== 'stop' && next.role !== 'light') return null
  const near = tokens[at - 1]?.role === 'stop' ? at - 2 : at - 1
  return ADVERBS.has(tokens[near]?.text ?? '') ? near : null
}

/** `tokens never expire`, `is never deleted`: a state. `Never delete it` is an order, and says nothing about time. */
function lastsForever(tokens: readonly Token[]): boolean {
  return tokens.some((token, at) => {
    if (token.concept !== 'keep' || token.sign === 1) return false
    return (
      /^(?:expire|vanish|disappear)|[^s]s$/.test(token.text) ||
      tokens.slice(Math.max(0, at - 2), at).some((near) => BE.has(near.text))
    )
  })
}

function inCondition(tokens: readonly Token[], at: number): boolean {
  const start = tokens.findLastIndex((token, index) => index < at && (token.text === ',' || CONDITIONS.has(token.text)))
  return start >= 0 && tokens[start]?.text !== ','
}

/** What is removed after a time, or when older than that, is kept for that time. */
function isRetention(tokens: readonly Token[], at: number): boolean {
  const rest = tokens.slice(at + 1)
  return rest.some((next, index) => {
    const [number, unit] = [rest[index + 1], rest[index + 2]]
    return (
      (next.text === 'after' || next.text === 'morethan') && number?.shape === 'number' && isTimeUnit(unit?.text ?? '')
    )
  })
}

/** To deny what lies beyond a mark is to ask for the other side: `never below 2` is `at least 2`. */
function turnBounds(tokens: readonly Token[], quantities: Quantity[]): boolean {
  if (!tokens.some((token) => token.text === 'lessthan' || token.text === 'morethan')) return false
  for (const quantity of quantities) {
    if (quantity.bound !== 'atleast' && quantity.bound !== 'atmost') continue
    quantity.bound = quantity.bound === 'atleast' ? 'atmost' : 'atleast'
    quantity.text = quantity.text.replace(/^at (?:least|most)/, quantity.bound === 'atleast' ? 'at least' : 'at most')
  }
  return true
}

/** `never two at once` is `at most one`. */
function turnCount(quantities: Quantity[]): boolean {
  const [count, second] = quantities
  if (count?.dimension !== 'count' || second !== undefined) return false
  if (count.subject === '' || count.bound !== 'exact' || count.low < 2) return false
  const most = count.low - 1
  quantities[0] = { ...count, bound: 'atmost', low: most, high: most, text: `at most ${most}` }
  return true
}

const BE = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being', 'gets', 'get', 'got'])

/** `failed webhooks`, `deploys that fail`: describes a thing, denies nothing. */
export function isAttribute(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (token?.role === 'predicate' && (before?.text === 'that' || before?.text === 'which')) return true
  if (token?.role !== 'predicate' || !/(?:ed|lost|broken|^(?:fail|miss|expir)ing)$/.test(token.text)) return false
  if (next?.shape !== 'word' || !['plain', 'thing', 'light'].includes(next.role)) return false
  const intransitive = /^(?:fail|expir|miss)/.test(token.text)
  return intransitive || before === undefined || (before.role === 'stop' && !BE.has(before.text))
}
