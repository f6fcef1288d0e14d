import { z } from 'zod'
import { decayed, staleSince } from '../lifecycle/decay.ts'
import { planRetention, type Retained } from '../lifecycle/retention.ts'
import { CATEGORIES, isFading, WORKFLOW_CATEGORIES } from '../model/categories.ts'
import { type ScopeSelector, scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { Write } from '../storage/commit.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { MemoryPage } from '../storage/memory-query.ts'
import type { Core } from './core.ts'
import { isJudgedOnReading } from './judging-storage.ts'
import { putUpHarmful } from './usefulness.ts'
import { changedRow, commitUnlessChanged } from './write.ts'

export interface SweepOptions {
  /** Only says what would be done. */
  dryRun?: boolean
  onProgress?: (done: number) => void
  signal?: AbortSignal
}

/** What a sweep did, or would do. */
export interface SweepReport {
  /** Memories that lost confidence to age; `deactivated` of them fell below the line. */
  decayed: number
  deactivated: number
  /** Workflow memories beyond what their scope or project keeps: inactive now. */
  retired: number
  /** Past their time, and removed. */
  expired: number
  /** What other programs left in the store that is no memory: it was left alone. */
  unreadable: number
}

const sweepSchema = z.strictObject({
  dryRun: z.boolean().optional(),
  onProgress: z.custom((value) => typeof value === 'function', 'must be a function').optional(),
  signal: z.instanceof(AbortSignal).optional(),
})

const PART = 500
/** What fades with age. Workflow memories are history, bounded by counts. */
const DECAYING = CATEGORIES.filter((category) => isFading({ category }))

/** Decay, caps and expiry over the whole store, each in one pass, a part at a time. */
export async function sweep(core: Core, given: SweepOptions = {}): Promise<SweepReport> {
  const options = parseInput(sweepSchema, given, 'sweep') as SweepOptions
  const { expired, unreadable } = await removeExpired(core, options)
  const { decayed: faded, deactivated } = await writeDecay(core, null, options)
  const retired = await retire(core, null, options)
  if (options.dryRun !== true) {
    await writeVerdicts(core)
    await reviewHarmful(core)
  }
  return { decayed: faded, deactivated, retired, expired, unreadable }
}

/**
 * Writes down what age has taken, once, however often it runs. Every read sees it without this; written down, the memories
 * of these scopes, or of the whole store (null), also show it to other tools that read the table.
 */
export async function writeDecay(
  core: Core,
  scopes: readonly ScopeSelector[] | null,
  { dryRun = false, onProgress, signal }: SweepOptions = {},
): Promise<Pick<SweepReport, 'decayed' | 'deactivated'>> {
  const now = core.now()
  const report = { decayed: 0, deactivated: 0 }
  let done = 0
  const where = { categories: DECAYING, updatedBy: staleSince(now) }
  for await (const part of read(core, scopes, where)) {
    signal?.throwIfAborted()
    const changes = part
      .map((memory) => ({ before: memory, after: decayed(memory, now) }))
      .filter(({ before, after }) => before !== after)
    const writes = changes.map(
      ({ after }): Write => ({ kind: 'update', row: changedRow({ ...after, version: after.version + 1 }) }),
    )
    // One that changes meanwhile was reinforced or edited, and is not stale any more.
    const applied = dryRun ? writes : (await commitUnlessChanged(core, writes, 'decay', now)).applied
    report.decayed += applied.length
    report.deactivated += applied.filter((write) => 'row' in write && !write.row.memory.active).length
    done += part.length
    onProgress?.(done)
  }
  return report
}

/** Sets inactive what is beyond the caps of its scope: of these scopes, or of the whole store (null). */
export async function retire(
  core: Core,
  scopes: readonly ScopeSelector[] | null,
  { dryRun = false }: SweepOptions = {},
): Promise<number> {
  const now = core.now()
  const entries: Retained[] = []
  const where = { categories: WORKFLOW_CATEGORIES, visibleAt: now.toISOString() }
  for await (const part of read(core, scopes, where)) {
    for (const { id, layer, identifiers, category, importance, createdAt, pinned } of part) {
      if (pinned) continue
      const { owner, project } = scopeOf(layer, identifiers)
      const scopeKey = JSON.stringify([owner, project])
      const of = identifiers.projectId ?? null
      entries.push({ id, layer, category, importance, createdAt, scopeKey, project: of })
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

/** Writes down what the guard says of rows that other programs wrote. */
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

/** What agents were shown often is asked whether it does them good. */
async function reviewHarmful(core: Core): Promise<void> {
  const where = { visibleAt: core.now().toISOString() }
  for await (const part of read(core, null, where)) await putUpHarmful(core, part)
}

async function removeExpired(
  core: Core,
  { dryRun = false, signal }: SweepOptions,
): Promise<Pick<SweepReport, 'expired' | 'unreadable'>> {
  const now = core.now()
  const report = { expired: 0, unreadable: 0 }
  for await (const { items, unreadable = 0 } of pages(core, null, { expiredAt: now.toISOString() })) {
    signal?.throwIfAborted()
    const writes = items.map(({ memory: { id, version } }): Write => ({ kind: 'delete', id, version }))
    report.expired += dryRun ? items.length : (await commitUnlessChanged(core, writes, 'expiry', now)).changed
    report.unreadable = unreadable
  }
  return report
}

async function* read(core: Core, scopes: readonly ScopeSelector[] | null, where: Conditions): AsyncGenerator<Memory[]> {
  for await (const { items } of pages(core, scopes, where)) yield items.map(({ memory }) => memory)
}

/** Part by part, oldest first: what a part's own writes change is behind the position already. */
async function* pages(
  { storage, attempt }: Core,
  scopes: readonly ScopeSelector[] | null,
  where: Conditions,
): AsyncGenerator<MemoryPage> {
  let after: string | null = null
  do {
    const position: string | null = after
    const page: MemoryPage = await attempt(() =>
      storage.memories({ scopes, where, order: 'oldest', limit: PART, after: position, count: false, vectors: false }),
    )
    yield page
    after = page.next
  } while (after !== null)
}
