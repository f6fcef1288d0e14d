import { z } from 'zod'
import { standingOf } from '../lifecycle/confidence.ts'
import { type Decay, decayed, graceOfCategory, staleSince } from '../lifecycle/decay.ts'
import { planRetention, type Retained } from '../lifecycle/retention.ts'
import { CATEGORIES, type Category, WORKFLOW_CATEGORIES } from '../model/categories.ts'
import { MemoryError } from '../model/errors.ts'
import { text } from '../model/fields.ts'
import { type ScopeSelector, scopeOf } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { DECAY, isVisible, type Memory } from '../model/memory.ts'
import { pagesOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Write } from '../storage/commit.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { MemoryPage } from '../storage/memory-query.ts'
import type { PruneReport } from '../storage/upkeep.ts'
import type { Core } from './core.ts'
import { isJudgedOnReading } from './judging-storage.ts'
import { historyOf } from './restore.ts'
import { putUpHarmful } from './usefulness.ts'
import { changedRow, commitOnce, commitUnlessChanged } from './write.ts'

export interface SweepOptions {
  /** Only reports what would be done. */
  dryRun?: boolean
  /** Continues although the clock seems to have jumped: what it would deactivate was last confirmed more than a year ago. */
  anyway?: boolean
  /** Called with the number of stale memories looked at. */
  onProgress?: (done: number) => void
  /** A later sweep with this key does nothing, whichever process starts it. */
  key?: string
}

/** What a sweep did, or would do. */
export interface SweepReport {
  /** Memories that no longer fade under the current settings, and are shown again. */
  returned: number
  /** Memories that lost confidence with age; `deactivated` of them fell below the threshold. */
  decayed: number
  deactivated: number
  /** Workflow memories beyond the caps of their scope or project: now inactive. */
  retired: number
  /** Expired and removed. */
  expired: number
  /** Removed because they are older than `memory.keepDays`. */
  sessions: number
  events: number
  showings: number
  /** Records of other programs that are not memories: left alone. */
  unreadable: number
  /** What was done to the store's indexes; absent if nothing. */
  indexes?: string[]
}

const sweepSchema = z.strictObject({
  dryRun: z.boolean().optional(),
  anyway: z.boolean().optional(),
  key: text(LIMITS.identifier).optional(),
  onProgress: z.custom((value) => typeof value === 'function', 'must be a function').optional(),
})

const PART = 500
const DAY_MS = 86_400_000
/** Memories that fade are gone after some months: one this old was never checked, or the clock is wrong. */
const JUMP_DAYS = 365

function fading(decay: Decay): Category[] {
  return CATEGORIES.filter((category) => graceOfCategory(category, decay) !== false)
}

/** Applies decay, caps and expiry to the whole store, each in one pass, a part at a time. */
export async function sweep(core: Core, given: SweepOptions = {}): Promise<SweepReport> {
  const options = parseInput(sweepSchema, given, 'sweep') as SweepOptions
  if (!options.anyway) await assertClock(core)
  if (options.key !== undefined && !(await isFirst(core, options.key))) return NOTHING
  const returned = await bringBack(core, options)
  const { expired, unreadable } = await removeExpired(core, options)
  const { decayed: faded, deactivated } = await writeDecay(core, null, options)
  const retired = await retire(core, null, options)
  if (options.dryRun !== true) {
    await writeVerdicts(core)
    await reviewHarmful(core)
  }
  const pruned = await prune(core, options)
  const { dryRun = false } = options
  const indexes = await core.write(async (signal) => core.storage.tend?.({ dryRun, signal }))
  const report = { returned, decayed: faded, deactivated, retired, expired, ...pruned, unreadable }
  return indexes && indexes.length > 0 ? { ...report, indexes } : report
}

const NOTHING: SweepReport = {
  ...{ returned: 0, decayed: 0, deactivated: 0, retired: 0, expired: 0 },
  ...{ sessions: 0, events: 0, showings: 0, unreadable: 0 },
}

async function isFirst(core: Core, key: string): Promise<boolean> {
  // A retry after a lost answer finds its own note.
  const note = core.nextId(core.now())
  const result = await commitOnce(core, { key: `sweep:${key}`, by: 'sweep', writes: [], note })
  return result.applied && result.note === note
}

/** Last, so that the sweep can still use the records that are removed. */
async function prune(
  { storage, attempt, settings, now }: Core,
  { dryRun = false }: SweepOptions,
): Promise<PruneReport> {
  const before = (days: number | false | undefined) =>
    days === undefined || days === false ? null : new Date(now().getTime() - days * DAY_MS).toISOString()
  const { sessions, events, showings } = settings.keepDays
  const times = { sessions: before(sessions), events: before(events), showings: before(showings) }
  if (Object.values(times).every((time) => time === null)) return { sessions: 0, events: 0, showings: 0 }
  return attempt(() => storage.prune({ ...times, dryRun }))
}

/** A clock that is years ahead makes everything fade and expire at once. Reads are not harmed; stored results are. */
async function assertClock(core: Core): Promise<void> {
  const { jumped, old, all } = await lookAtClock(core, null)
  if (!jumped) return
  const now = core.now().toISOString().slice(0, 10)
  throw new MemoryError(
    'CONFLICT',
    `By this machine's clock it is ${now}, and ${old} of ${all} memories that fade were last confirmed more than a year earlier. Nothing was changed.`,
    { details: { old, all, now, hint: 'Set the clock. If it is right, continue with: nokosu sweep --anyway' } },
  )
}

/** Whether most fading memories in these scopes have waited for more than a year. */
async function lookAtClock(
  { storage, attempt, settings, now }: Core,
  scopes: readonly ScopeSelector[] | null,
): Promise<{ jumped: boolean; old: number; all: number }> {
  const count = async (where: Conditions) => {
    const query = { scopes, where, order: 'oldest' as const, limit: 1, after: null, count: true, vectors: false }
    return (await attempt(() => storage.memories(query))).totalCount ?? 0
  }
  // On the day the last of them was written, none had faded.
  const fades = { categories: fading(settings.decay), trust: FADING_TRUST }
  const updatedBy = new Date(now().getTime() - JUMP_DAYS * DAY_MS).toISOString()
  const [old, all] = [
    await count({ ...fades, updatedBy, visibleAt: LONG_AGO }),
    await count({ ...fades, visibleAt: LONG_AGO }),
  ]
  return { jumped: old > 0 && 2 * old >= all, old, all }
}

const FADING_TRUST = ['agent', 'corroborated', 'flagged'] as const
/** `visibleUntil` of every active memory is later than this. */
const LONG_AGO = '0001-01-01T00:00:00.000Z'

/** Shows memories again that the store hides for their age but that do not fade under the settings. */
async function bringBack(core: Core, { dryRun = false }: SweepOptions): Promise<number> {
  const now = core.now()
  const { decay } = core.settings
  const hiddenAt = now.toISOString()
  const lasting = CATEGORIES.filter((category) => graceOfCategory(category, decay) === false)
  let returned = 0
  for (const where of [{ categories: lasting }, { trust: ['operator' as const], categories: fading(decay) }]) {
    for await (const part of read(core, null, { ...where, hiddenAt })) {
      const lost: Memory[] = []
      for (const memory of part) {
        const before = (await isFaded(core, memory)) ? beforeItFaded(memory) : memory
        if (isVisible(before, now) && decayed(before, now, decay) === before) lost.push(before)
      }
      const writes = lost.map(
        (memory): Write => ({ kind: 'update', row: changedRow({ ...memory, version: memory.version + 1 }) }),
      )
      returned += dryRun ? writes.length : (await commitUnlessChanged(core, writes, 'decay', now)).applied.length
    }
  }
  return returned
}

/** Whether it is inactive only because a sweep stored its decay. */
async function isFaded(core: Core, { id, active, decayedWeeks, version }: Memory): Promise<boolean> {
  if (active || decayedWeeks === 0) return false
  const last = (await historyOf(core, id)).at(-1)
  return last?.by === 'decay' && last.version === version
}

function beforeItFaded(memory: Memory): Memory {
  return { ...memory, ...standingOf(memory.confidence + DECAY.step * memory.decayedWeeks), decayedWeeks: 0 }
}

/** The same for the scopes that a session opens; if the clock seems to have jumped, nothing is stored. */
export async function writeDecayOf(core: Core, scopes: readonly ScopeSelector[]): Promise<void> {
  const { jumped, old, all } = await lookAtClock(core, scopes)
  if (jumped) core.log.warn({ old, all }, 'the clock seems to have jumped: decay was not stored')
  else await writeDecay(core, scopes)
}

/**
 * Stores the effects of age, once, however often it runs. Reads apply them anyway; once stored, the memories
 * of these scopes, or of the whole store (null), also show them to other tools that read the table.
 */
async function writeDecay(
  core: Core,
  scopes: readonly ScopeSelector[] | null,
  { dryRun = false, onProgress }: SweepOptions = {},
): Promise<Pick<SweepReport, 'decayed' | 'deactivated'>> {
  const now = core.now()
  const report = { decayed: 0, deactivated: 0 }
  let done = 0
  const { decay } = core.settings
  const where = { categories: fading(decay), updatedBy: staleSince(now, decay) }
  for await (const part of read(core, scopes, where)) {
    const changes = part
      .map((memory) => ({ before: memory, after: decayed(memory, now, decay) }))
      .filter(({ before, after }) => before !== after)
    const writes = changes.map(
      ({ after }): Write => ({ kind: 'update', row: changedRow({ ...after, version: after.version + 1 }) }),
    )
    // A memory that changes meanwhile was reinforced or edited, and is no longer stale.
    const applied = dryRun ? writes : (await commitUnlessChanged(core, writes, 'decay', now)).applied
    report.decayed += applied.length
    report.deactivated += applied.filter((write) => 'row' in write && !write.row.memory.active).length
    done += part.length
    onProgress?.(done)
  }
  return report
}

/** Deactivates what exceeds the caps of its scope: of these scopes, or of the whole store (null). */
export async function retire(
  core: Core,
  scopes: readonly ScopeSelector[] | null,
  { dryRun = false }: SweepOptions = {},
): Promise<number> {
  const now = core.now()
  const entries: Retained[] = []
  const where = { categories: WORKFLOW_CATEGORIES, visibleAt: now.toISOString() }
  for await (const part of read(core, scopes, where)) {
    for (const { id, layer, identifiers, category, importance, createdAt, pinned, trust } of part) {
      if (pinned) continue
      const { owner, project } = scopeOf(layer, identifiers)
      const scopeKey = JSON.stringify([owner, project])
      const of = identifiers.projectId ?? null
      entries.push({ id, layer, category, importance, createdAt, trust, scopeKey, project: of })
    }
  }
  const ids = planRetention(entries, core.settings)
  if (dryRun) return ids.length
  let retired = 0
  for (let start = 0; start < ids.length; start += PART) {
    const found = await core.attempt(() => core.storage.get(ids.slice(start, start + PART)))
    const writes = found.map(
      ({ memory }): Write => ({
        kind: 'update',
        row: changedRow({ ...memory, active: false, version: memory.version + 1 }),
      }),
    )
    retired += (await commitUnlessChanged(core, writes, 'retention', now)).changed
  }
  return retired
}

/** Stores the guard's verdicts on rows of other programs. */
async function writeVerdicts(core: Core): Promise<void> {
  const now = core.now()
  for await (const part of read(core, null, { trust: ['flagged'] })) {
    const judged = part.filter(isJudgedOnReading)
    const writes = judged.map((memory): Write => {
      const row = changedRow({ ...memory, version: memory.version + 1 })
      return { kind: 'update', row }
    })
    await commitUnlessChanged(core, writes, 'guard', now)
  }
}

/** Memories that agents were often shown are checked for harm. */
async function reviewHarmful(core: Core): Promise<void> {
  const where = { visibleAt: core.now().toISOString() }
  for await (const part of read(core, null, where)) await putUpHarmful(core, part)
}

async function removeExpired(
  core: Core,
  { dryRun = false }: SweepOptions,
): Promise<Pick<SweepReport, 'expired' | 'unreadable'>> {
  const now = core.now()
  const report = { expired: 0, unreadable: 0 }
  for await (const { items, unreadable = 0 } of pages(core, null, { expiredAt: now.toISOString() })) {
    const writes = items.map(({ memory: { id, version } }): Write => ({ kind: 'delete', id, version }))
    report.expired += dryRun ? items.length : (await commitUnlessChanged(core, writes, 'expiry', now)).changed
    report.unreadable = unreadable
  }
  return report
}

async function* read(core: Core, scopes: readonly ScopeSelector[] | null, where: Conditions): AsyncGenerator<Memory[]> {
  for await (const { items } of pages(core, scopes, where)) yield items.map(({ memory }) => memory)
}

/** Part by part, oldest first: a part's own writes are already behind the position. */
function pages(
  { storage, attempt }: Core,
  scopes: readonly ScopeSelector[] | null,
  where: Conditions,
): AsyncGenerator<MemoryPage> {
  const query = { scopes, where, order: 'oldest', limit: PART, count: false, vectors: false } as const
  return pagesOf((after) => attempt(() => storage.memories({ ...query, after })))
}
