import type { Decided, DecisionKind, Decisions } from './decision.ts'

export const DECISION_WORDS: Record<DecisionKind, string> = {
  reinforced: 'Said again',
  confirmed: 'Confirmed',
  contradicted: 'Contradicted by',
  corrected: 'Corrected by',
  contradicts: 'Contradicts',
  corrects: 'Corrects',
  settled: 'Settled with',
  retracted: 'Retracted',
  review: 'Sent to review with',
  undone: 'Undone',
}

/** A decision in words: what it was, beside which words (`quoted` makes them fit to show), with which effect, and why. */
export function tellDecision(decision: Decided, quoted: (text: string) => string = (text) => text): string {
  const { kind, other, from, to, reason, undone } = decision
  const named = other?.id ? ` ${other.id}` : ''
  const words = other === null ? '' : other.content === null ? `${named} (gone)` : `${named} “${quoted(other.content)}”`
  const effect = from === to ? '' : ` (${from.toFixed(2)} → ${to.toFixed(2)})`
  return `${DECISION_WORDS[kind]}${words}${effect}: ${quoted(reason)}${undone ? ' [undone]' : ''}`
}

/** What the decisions come to; null: nothing to tell. */
export function tellStanding({ hiddenBy, disputed }: Decisions, quoted: (text: string) => string): string | null {
  return hiddenBy === null ? disputed : `hidden by ${hiddenBy.id} “${quoted(hiddenBy.content)}”`
}
