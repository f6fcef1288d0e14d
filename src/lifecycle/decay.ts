import { DECAY, type Memory } from '../model/memory.ts'
import { type Standing, standingOf } from './confidence.ts'
import { isWorkflow } from './is-workflow.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export interface Decay extends Standing {
  /** Whole weeks taken since `updatedAt`, to be kept with the memory. */
  decayedWeeks: number
}

type Decaying = Pick<Memory, 'category' | 'confidence' | 'active' | 'updatedAt'>

/**
 * What time has done to a memory, or null when nothing changes. `decayedWeeks` are the whole weeks already taken since
 * `updatedAt`: only the weeks after them are taken now, so that any number of sessions give the same result, early or
 * late. `updatedAt` must stay as it is, or the grace would begin again; a reinforcement moves it and resets the weeks.
 *
 * Every active operational memory and learning decays, an operator's too: nothing else makes room when a service
 * changes. Workflow memories do not: they tell what happened, which does not become less true, and are bounded by
 * retention and their expiry.
 */
export function decayMemory(memory: Decaying, decayedWeeks: number, now: Date): Decay | null {
  if (!memory.active || isWorkflow(memory)) return null
  const weeks = Math.floor(((now.getTime() - Date.parse(memory.updatedAt)) / DAY_MS - DECAY.graceDays) / DECAY.stepDays)
  if (!(weeks > decayedWeeks)) return null
  return { ...standingOf(memory.confidence - DECAY.step * (weeks - decayedWeeks)), decayedWeeks: weeks }
}
