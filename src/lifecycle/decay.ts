import { type Category, isFading } from '../model/categories.ts'
import { ACTIVE_CONFIDENCE, DECAY, LESSON_CONFIDENCE, type Memory, UNCONFIRMED_GRACE_DAYS } from '../model/memory.ts'
import { standingOf } from './confidence.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * A memory as it is at this time: what age takes from its confidence is taken, once, whether or not it was written down.
 * `decayedWeeks` are the whole weeks already taken since `updatedAt`, so any number of sessions give the same result, early
 * or late. `updatedAt` stays as it is, or the grace would begin again; a reinforcement moves it and resets the weeks.
 *
 * Operational memories decay: services change. Learnings do not, nor workflow memories, which tell what happened and are bounded by
 * retention; nor what an operator pinned, wrote or accepted. `decay` may say otherwise of a category.
 */
export function decayed(memory: Memory, now: Date, decay: Decay = {}): Memory {
  const grace = graceOf(memory, decay)
  if (!memory.active || grace === false) return memory
  const weeks = Math.floor(((now.getTime() - fadesFrom(memory)) / DAY_MS - grace) / DECAY.stepDays)
  if (!(weeks > memory.decayedWeeks)) return memory
  // What has gone inactive loses nothing more, whenever somebody looks.
  const taken = Math.min(weeks - memory.decayedWeeks, weeksUntilFaded(memory))
  const standing = standingOf(memory.confidence - DECAY.step * taken)
  return { ...memory, ...standing, decayedWeeks: memory.decayedWeeks + taken }
}

/** Later than any real time: nothing ends the visibility. */
export const ALWAYS = '9999-12-31T23:59:59.999Z'
/** On no read path. */
export const NEVER = ''

/**
 * The instant at which a memory leaves all read paths if nothing happens to it: it expires, or its confidence fades below the
 * line. Stored beside it, so that a store tells what is visible by one comparison.
 */
export function visibleUntil(memory: Memory, decay: Decay = {}): string {
  if (!memory.active || memory.trust === 'quarantined') return NEVER
  const grace = graceOf(memory, decay)
  const until = grace === false ? ALWAYS : fadesAt(memory, grace)
  return memory.expiresAt !== null && memory.expiresAt < until ? memory.expiresAt : until
}

/** Days without reinforcement or use after which a category begins to fade; false: never. */
export type Decay = Partial<Record<Category, number | false>>

export function graceOfCategory(category: Category, decay: Decay): number | false {
  return decay[category] ?? (isFading({ category }) ? DECAY.graceDays : false)
}

/** What nobody has said is looked at sooner: a lesson that was found in one run and never confirmed, whatever its category. */
function graceOf(memory: Memory, decay: Decay): number | false {
  const { category, pinned, trust } = memory
  if (pinned || trust === 'operator') return false
  const grace = graceOfCategory(category, decay)
  return isUnconfirmed(memory) && decay[category] === undefined ? UNCONFIRMED_GRACE_DAYS : grace
}

function isUnconfirmed({ source, confidence, decayedWeeks }: Memory): boolean {
  const before = Math.round((confidence + DECAY.step * decayedWeeks) * 100)
  return source === 'observed' && before <= LESSON_CONFIDENCE * 100
}

function fadesAt(memory: Memory, grace: number): string {
  const days = grace + DECAY.stepDays * (memory.decayedWeeks + weeksUntilFaded(memory))
  const at = fadesFrom(memory) + days * DAY_MS
  return at < Date.parse(ALWAYS) ? new Date(at).toISOString() : ALWAYS
}

/** Reinforcement and use both keep a memory from fading. */
function fadesFrom({ updatedAt, lastUsedAt }: Memory): number {
  return Math.max(Date.parse(updatedAt), lastUsedAt === null ? -Infinity : Date.parse(lastUsedAt))
}

/** Weeks of decay after which the confidence is below the line; at least one. */
function weeksUntilFaded({ confidence }: Memory): number {
  // In hundredths, as confidence is kept: 0.7 - 4 * 0.1 must be exactly 0.3.
  const above = Math.round((confidence - ACTIVE_CONFIDENCE) * 100)
  return Math.max(1, Math.floor(above / (DECAY.step * 100)) + 1)
}

/** The latest `updatedAt` at which a memory may have something to decay at this time. */
export function staleSince(now: Date, decay: Decay = {}): string {
  const grace = Math.min(UNCONFIRMED_GRACE_DAYS, ...Object.values(decay).filter((days) => days !== false))
  return new Date(now.getTime() - (grace + DECAY.stepDays) * DAY_MS).toISOString()
}
