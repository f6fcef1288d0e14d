import { explainFlags } from '../guard/explain-flags.ts'
import type { Outcome } from '../model/outcome.ts'
import { countOf, note, paint, type Style } from './output.ts'

export const OUTCOME_WORDS: Record<Outcome['kind'] | 'held', readonly [word: string, style: Style]> = {
  insert: ['new', 'green'],
  reinforce: ['reinforced', 'cyan'],
  contradict: ['corrected', 'yellow'],
  duplicate: ['known', 'dim'],
  refuse: ['refused', 'yellow'],
  held: ['held', 'yellow'],
}

/** Whether the guard holds it: it is stored, and no agent sees it until an operator accepts it. */
export function isHeld(outcome: Outcome): boolean {
  return outcome.kind === 'insert' && outcome.memory.trust === 'quarantined'
}

/** Whether agents see it as unverified: it is new, and changed nothing else. */
export function isMarked(outcome: Outcome): boolean {
  return outcome.kind === 'insert' && outcome.memory.trust === 'flagged'
}

export function noteMarked(count: number): void {
  if (count === 0) return
  note(
    `${countOf(count, 'memory is', 'memories are')} shown to agents as unverified, until you or other agents confirm ` +
      `${count === 1 ? 'it' : 'them'}: 'nokosu review'.`,
  )
}

export function noteHeld(count: number): void {
  if (count === 0) return
  const [is, them] = count === 1 ? ['is', 'it'] : ['are', 'them']
  note(
    `${countOf(count, 'memory', 'memories')} ${is} held for review: no agent is shown ${them} until you accept ${them}. ` +
      "'nokosu review --all' lists what is held.",
  )
}

export function secretsIn({ redactions }: Pick<Outcome, 'redactions'>): number {
  return redactions.reduce((sum, { count }) => sum + count, 0)
}

/** `timing:jellyfin` */
export function aboutOf({ category, service }: { category: string; service: string | null }): string {
  return service === null ? category : `${category}:${service}`
}

export function formatOutcome(outcome: Outcome, text: string, reason: string | null = outcome.reason): string {
  const held = isHeld(outcome)
  const [word, style] = OUTCOME_WORDS[held ? 'held' : outcome.kind]
  const weakened = 'weakened' in outcome ? outcome.weakened : []
  const secrets = secretsIn(outcome)
  const details = [
    ...(reason === null ? [] : [paint('dim', reason)]),
    ...weakened.map(({ content, confidence, active }) =>
      paint('dim', `weakened to ${confidence}${active ? '' : ', now inactive'}: ${content}`),
    ),
    ...(secrets === 0 ? [] : [paint('yellow', `${countOf(secrets, 'secret', 'secrets')} redacted`)]),
    ...(outcome.flags.length === 0 || held
      ? []
      : [paint('yellow', `shown as unverified: it ${explainFlags(outcome.flags).join('; it ')}`)]),
  ]
  return [`${paint(style, word.padEnd(10))}  ${text}`, ...details.map((line) => `${' '.repeat(12)}${line}`)].join('\n')
}

/** `3 new`, `1 reinforced`: what became of several observations. */
export function countOutcomes(outcomes: readonly { kind: Outcome['kind']; held: boolean }[]): string[] {
  return Object.entries(OUTCOME_WORDS).flatMap(([name, [word]]) => {
    const count = outcomes.filter(({ kind, held }) => (held ? 'held' : kind) === name).length
    return count === 0 ? [] : `${count} ${name === 'held' ? 'held for review' : word}`
  })
}
