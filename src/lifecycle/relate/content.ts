import { CONDITIONS, type Token } from './normalize.ts'
import { isAttribute } from './polarity.ts'
import type { Quantity } from './quantity.ts'

/** A word that carries topic, once per statement. */
export interface Content {
  concept: string
  weight: number
  /** As written, for reasons. */
  text: string
  named: boolean
  kind: string | null
  /** The function word or verb that introduces it (`in`, `by`, `is`, `use`), or '' for a subject. */
  marker: string
  /** Inside `if`, `when`, `while`, `during` or an environment: says where the claim holds. */
  conditional: boolean
  /** A noun that only says what a number counts, or an attribute: no topic when the other statement lacks it. */
  minor: boolean
  /** The noun that it stands right before and narrows: `tokens` in `refresh tokens`. */
  narrows: string | null
}

const MARKERS = new Set(
  `is are was were be been being gets get got in on at to into onto by with from for as via through under over
  of`.split(/\s+/),
)
/** Verbs whose object is normally one: what is used, who is asked. */
export const ACTS_ON: ReadonlySet<string> = new Set(['us', 'contact', 'send', 'prefer', 'choos', 'pick', 'hit'])
/** Predicates that also name a topic; the rest are mostly form. */
const PREDICATE_WEIGHT: Readonly<Record<string, number>> = { keep: 0.5, change: 0.6, work: 0.4, encrypt: 1, fix: 0.8 }
/** Of a word in another clause than the one that is read. */
const OUTSIDE = 0.4

/** How much topic a word carries: 0 for function words, 1 for a plain word, more for a name. */
export function weigh(token: Token): number {
  if (token.role === 'stop' || token.role === 'negator' || token.shape === 'mark') return 0
  if (token.role === 'light') return 0.25
  if (token.role === 'predicate') return PREDICATE_WEIGHT[token.concept] ?? 0.2
  if (token.role === 'axis') return 0.8
  if (token.role === 'environment') return 0.6
  return token.named || token.role === 'thing' ? 1.4 : 1
}

/** Whether a word that the other statement lacks shows another topic. */
export function isTopic(content: Content): boolean {
  return content.weight >= 0.5 && !content.minor
}

/**
 * The topic words of a clause, and with less weight those of the other clauses. `used` are the positions that
 * quantities take up.
 */
export function readContent(
  clause: readonly Token[],
  used: ReadonlySet<number>,
  quantities: readonly Quantity[],
  outside: readonly Token[],
): Content[] {
  const counted = new Set(quantities.filter(({ dimension }) => dimension === 'count').map(({ subject }) => subject))
  const content = new Map<string, Content>()
  let [marker, condition] = ['', false]
  const add = (token: Token, weight: number, minor: boolean, narrows: string | null) => {
    const { concept, text, named, kind, role } = token
    if (weight === 0 || (content.get(concept)?.weight ?? 0) >= weight) return
    const conditional = condition || role === 'environment'
    content.set(concept, { concept, text, named, kind, weight, marker, conditional, minor, narrows })
  }
  clause.forEach((token, at) => {
    if (CONDITIONS.has(token.text)) condition = true
    if (token.text === ',') condition = false
    marker = markerAfter(token, marker, clause[at - 1])
    const minor = isAttribute(clause, at) || (counted.has(token.concept) && !token.named && token.kind === null)
    add(token, used.has(at) ? 0 : weigh(token), minor, used.has(at + 1) ? null : narrowed(clause, at))
  })
  condition = false
  for (const token of outside) {
    if (token.shape === 'word' || token.shape === 'identifier') add(token, OUTSIDE * weigh(token), false, null)
  }
  return [...content.values()]
}

/** Nouns in a row, where the first begins the phrase: after another noun it would be the verb. */
function narrowed(clause: readonly Token[], at: number): string | null {
  const [before, token, next] = [clause[at - 1], clause[at], clause[at + 1]]
  const begins = before === undefined || (before.role === 'stop' && before.text !== 'to')
  return begins && isNoun(token) && isNoun(next) ? next.concept : null
}

function isNoun(token: Token | undefined): token is Token {
  return token?.shape === 'word' && token.role === 'plain' && !token.named
}

/** What introduces the words that follow. What something needs (`depends on`) is no place that it is in. */
function markerAfter(token: Token, marker: string, before: Token | undefined): string {
  if (token.role === 'predicate' || ACTS_ON.has(token.concept)) return token.concept
  if (!MARKERS.has(token.text)) return marker
  return before?.concept === 'need' ? marker : token.text
}
