import { splitClauses } from './clauses.ts'
import { type Content, readContent, weigh } from './content.ts'
import { normalize, type Token } from './normalize.ts'
import { type Polarity, readPolarity } from './polarity.ts'
import { type Quantity, readQuantities } from './quantity.ts'

/** What a clause says, taken apart. */
export interface Facets {
  content: readonly Content[]
  quantities: readonly Quantity[]
  /** Those of the whole statement. */
  mentioned: readonly Quantity[]
  polarity: Polarity
  /** What comes first and what later, when it says so. */
  order: { earlier: ReadonlySet<string>; later: ReadonlySet<string> } | null
  environments: ReadonlySet<string>
  /** `only`, `exclusively`. */
  exclusive: boolean
  /** `any`, `everyone`, `at any time`. */
  universal: boolean
}

const EXCLUSIVE = new Set(['only', 'exclusively', 'solely'])
const UNIVERSAL = new Set(['any', 'everyone', 'anytime', 'all', 'anywhere', 'also', 'always'])

/** Takes a statement apart, clause by clause: the words of the other clauses count less. */
export function readFacets(text: string): Facets[] {
  const all = normalize(text)
  const tokens = all.map((token, index) => asState(token, all[index + 1]))
  const environments = new Set(tokens.filter((token) => token.role === 'environment').map((token) => token.concept))
  return splitClauses(tokens).map(([from, to]) => {
    const clause = tokens.slice(from, to)
    const outside = [...tokens.slice(0, from), ...tokens.slice(to)]
    const { quantities, used } = readQuantities(clause)
    const polarity = readPolarity(clause, quantities)
    return {
      content: readContent(clause, used, quantities, outside),
      quantities,
      mentioned: [...quantities, ...readQuantities(outside).quantities],
      polarity,
      order: readOrder(clause),
      environments,
      exclusive: clause.some((token) => EXCLUSIVE.has(token.text)),
      universal: clause.some((token) => UNIVERSAL.has(token.text) || UNIVERSAL.has(token.concept)),
    }
  })
}

/** `Swap is on`: a state, where nothing follows that it could be a preposition of. */
function asState(token: Token, next: Token | undefined): Token {
  if (token.text !== 'on') return token
  const ends = next === undefined || next.shape === 'mark'
  const prepositions = ['by', 'in', 'for', 'and', 'when', 'during', 'at']
  if (!ends && !prepositions.includes(next.text)) return token
  return { ...token, concept: 'enable', sign: 1, role: 'predicate' }
}

function readOrder(tokens: readonly Token[]): Facets['order'] {
  const isOrderWord = (token: Token, index: number) => {
    const next = tokens[index + 1]
    return (token.text === 'before' || token.text === 'after') && next !== undefined && next.shape !== 'number'
  }
  const at = tokens.findIndex(isOrderWord)
  // With two such words it is not clear which part belongs to which.
  if (at < 0 || tokens.findLastIndex(isOrderWord) !== at) return null
  let [left, right] = [tokens.slice(0, at), tokens.slice(at + 1)]
  if (topicsOf(left).size === 0) {
    const comma = right.findIndex((token) => token.text === ',')
    const split = comma >= 0 ? comma : Math.ceil(right.length / 2)
    ;[left, right] = [right.slice(split), right.slice(0, split)]
  }
  const [earlier, later] = tokens[at]?.text === 'before' ? [left, right] : [right, left]
  return { earlier: topicsOf(earlier), later: topicsOf(later) }
}

function topicsOf(tokens: readonly Token[]): Set<string> {
  return new Set(tokens.filter((token) => weigh(token) >= 0.5).map((token) => token.concept))
}
