import { type Category, isFading } from '../model/categories.ts'
import { ACTIVE_CONFIDENCE, DECAY, LESSON_CONFIDENCE, type Memory, UNCONFIRMED_GRACE_DAYS } from '../model/memory.ts'
import { standingOf } from './confidence.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * A memory as of now, with age subtracted from its confidence once, whether or not that was stored. `decayedWeeks` are
 * the full weeks already subtracted since `updatedAt`, so the result does not depend on how often or when it is
 * computed. `updatedAt` is not changed, or the grace period would restart; a reinforcement updates it and resets the
 * weeks.
 * Operational memories decay, because services change. Learnings do not, nor do workflow memories, which record events
 * and are limited by retention, nor anything an operator pinned, wrote or accepted. `decay` overrides this by category.
 */
export function decayed(memory: Memory, now: Date, decay: Decay = {}): Memory {
  const grace = graceOf(memory, decay)
  if (!memory.active || grace === false) return memory
  const weeks = Math.floor(((now.getTime() - fadesFrom(memory)) / DAY_MS - grace) / DECAY.stepDays)
  if (!(weeks > memory.decayedWeeks)) return memory
  // An inactive memory decays no further, whenever it is read.
  const taken = Math.min(weeks - memory.decayedWeeks, weeksUntilFaded(memory))
  const standing = standingOf(memory.confidence - DECAY.step * taken)
  return { ...memory, ...standing, decayedWeeks: memory.decayedWeeks + taken }
}

/** Later than any real time: visible for ever. */
export const ALWAYS = '9999-12-31T23:59:59.999Z'
/** Never visible. */
export const NEVER = ''

/**
 * The time at which a memory disappears from all reads if nothing happens to it: it expires, or its confidence fades
 * below the threshold. Stored with it, so that a store checks visibility with one comparison.
 */
export function visibleUntil(memory: Memory, decay: Decay = {}): string {
  if (!memory.active || memory.trust === 'quarantined') return NEVER
  const grace = graceOf(memory, decay)
  const until = grace === false ? ALWAYS : fadesAt(memory, grace)
  return memory.expiresAt !== null && memory.expiresAt < until ? memory.expiresAt : until
}

/** A memory that fades within this many days is reported. */
const FADING_DAYS = 14

/** Whether it fades below the threshold within {@link FADING_DAYS}, unless something keeps it. An expiry time does not count. */
export function fadesSoon(memory: Memory, now: Date, decay: Decay = {}): boolean {
  const until = visibleUntil({ ...memory, expiresAt: null }, decay)
  return until < new Date(now.getTime() + FADING_DAYS * DAY_MS).toISOString()
}

/** Days without reinforcement or use before a category starts to fade; false: never. */
export type Decay = Partial<Record<Category, number | false>>

export function graceOfCategory(category: Category, decay: Decay): number | false {
  return decay[category] ?? (isFading({ category }) ? DECAY.graceDays : false)
}

/** An inferred lesson that was never confirmed fades sooner, whatever its category. */
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

/** Weeks of decay until the confidence is below the threshold; at least one. */
function weeksUntilFaded({ confidence }: Memory): number {
  // In hundredths, as confidence is kept: 0.7 - 4 * 0.1 must be exactly 0.3.
  const above = Math.round((confidence - ACTIVE_CONFIDENCE) * 100)
  return Math.max(1, Math.floor(above / (DECAY.step * 100)) + 1)
}

/** The latest `updatedAt` at which a memory may have decayed by this time. */
export function staleSince(now: Date, decay: Decay = {}): string {
  const grace = Math.min(UNCONFIRMED_GRACE_DAYS, ...Object.values(decay).filter((days) => days !== false))
  return new Date(now.getTime() - (grace + DECAY.stepDays) * DAY_MS).toISOString()
}
