import type { Outcome } from '../model/outcome.ts'
import { countOf, note } from './output.ts'

/** Whether the guard held it back: it is stored, and shown to no agent until an operator accepts it. */
export function isHeld(outcome: Outcome): boolean {
  return outcome.kind === 'insert' && outcome.memory.trust === 'quarantined'
}

/** Says how many are held for review, if any, and how to look at them. */
export function noteHeld(count: number): void {
  if (count === 0) return
  const [is, them] = count === 1 ? ['is', 'it'] : ['are', 'them']
  note(
    `${countOf(count, 'memory', 'memories')} ${is} held for review: no agent is shown ${them} until you accept ${them}. ` +
      "'nokosu review --all' lists what is held.",
  )
}
