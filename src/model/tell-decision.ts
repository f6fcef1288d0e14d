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

/** A decision in words: what it was, which text it was compared with (formatted by `quoted`), its effect, and why. */
export function tellDecision(decision: Decided, quoted: (text: string) => string = (text) => text): string {
  const { kind, other, from, to, reason, undone } = decision
  const named = other?.id ? ` ${other.id}` : ''
  const words = other === null ? '' : other.content === null ? `${named} (gone)` : `${named} “${quoted(other.content)}”`
  const effect = from === to ? '' : ` (${from.toFixed(2)} → ${to.toFixed(2)})`
  return `${DECISION_WORDS[kind]}${words}${effect}: ${quoted(reason)}${undone ? ' [undone]' : ''}`
}

/** A summary of the decisions; null if there is nothing to say. */
export function tellStanding({ hiddenBy, disputed }: Decisions, quoted: (text: string) => string): string | null {
  return hiddenBy === null ? disputed : `hidden by ${hiddenBy.id} “${quoted(hiddenBy.content)}”`
}
