import { weigh } from './content.ts'
import { CONDITIONS, type Token } from './normalize.ts'

/** From the first token to the one before the second position. */
export type Span = readonly [from: number, to: number]

/** Every clause is compared with every other: this bounds the work for long texts. */
const MAX_CLAUSES = 6

const FRONTED = new Set([...CONDITIONS, 'after', 'before', 'without', 'in', 'on', 'for'])
const ENDS = new Set([',', ';', ':', '.', '!', '?', '(', '-', '–', '—', 'because', 'since', 'so', 'but', 'otherwise'])
/** A clause with one of these goes on about the clause before it. */
const ANAPHORS = new Set(['it', 'them', 'they'])

/** Claims that stand side by side, or a claim and its reason. A condition stays with its claim. */
export function splitClauses(tokens: readonly Token[]): Span[] {
  const spans: Span[] = []
  let from = 0
  let fronted = FRONTED.has(tokens[0]?.text ?? '')
  tokens.forEach((token, at) => {
    if (!ENDS.has(token.text) && !isThreat(tokens, at)) return
    if (!hasTopic(tokens.slice(from, at)) || !hasTopic(tokens.slice(at + 1))) return
    if (token.text === ',') {
      const rest = tokens.slice(at + 1)
      if (['and', 'or'].includes(rest[0]?.text ?? '') || rest.some((next) => ANAPHORS.has(next.text))) return
      if (fronted) {
        fronted = false
        return
      }
    }
    spans.push([from, at])
    from = at + 1
  })
  return [...spans, [from, tokens.length] as const].slice(0, MAX_CLAUSES)
}

/** `... or it will not start`: the reason, as what happens otherwise. */
function isThreat(tokens: readonly Token[], at: number): boolean {
  const denies = (token: Token) => token.sign === -1 || token.concept === 'stop'
  return tokens[at]?.text === 'or' && tokens.slice(at + 1).some(denies) && !tokens.slice(0, at).some(denies)
}

function hasTopic(tokens: readonly Token[]): boolean {
  return tokens.some((token) => weigh(token) >= 0.5)
}
