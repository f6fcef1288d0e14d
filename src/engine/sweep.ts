import { decayMemory } from '../lifecycle/decay.ts'
import { planRetention, type Retained } from '../lifecycle/retention.ts'
import { type ScopeSelector, scopeOf } from '../model/layer.ts'
import { CATEGORIES, type Memory, WORKFLOW_CATEGORIES } from '../model/memory.ts'
import type { ListQuery, StaleQuery, Write } from '../storage/storage.ts'
import type { Core } from './core.ts'

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
  /** Workflow memories beyond what their scope or the store keeps: inactive now. */
  retired: number
  /** Past their time, and removed. */
  expired: number
}

const PART = 500
/** What fades with age. Workflow memories are history, bounded by counts. */
const DECAYING = CATEGORIES.filter((category) => !(WORKFLOW_CATEGORIES as readonly string[]).includes(category))

/** Decay, caps and expiry over the whole store, in one pass each, a part at a time. */
export async function sweep(core: Core, options: SweepOptions = {}): Promise<SweepReport> {
  const expired = await removeExpired(core, options)
  const { decayed, deactivated } = await decayStale(core, options)
  const retired = await retire(core, options)
  return { decayed, deactivated, retired, expired }
}

/** Takes from every stale memory what its age demands, once, however often it runs. Runs at the start of a session too. */
export async function decayStale(
  core: Core,
  { dryRun = false, onProgress, signal }: SweepOptions = {},
): Promise<Pick<SweepReport, 'decayed' | 'deactivated'>> {
  const now = core.now()
  const report = { decayed: 0, deactivated: 0 }
  let after: StaleQuery['after'] = null
  let done = 0
  for (;;) {
    signal?.throwIfAborted()
    const query: StaleQuery = { at: now.toISOString(), categories: DECAYING, after, limit: PART }
    const part = await core.attempt(() => core.storage.listStale(query))
    const writes: Write[] = []
    for (const { memory, decayedWeeks } of part) {
      const change = decayMemory(memory, decayedWeeks, now)
      if (!change) continue
      report.decayed++
      if (!change.active) report.deactivated++
      const { confidence, active } = change
      writes.push({
        kind: 'update',
        memory: { ...memory, confidence, active, version: memory.version + 1 },
        decayedWeeks: change.decayedWeeks,
      })
    }
    if (!dryRun && writes.length > 0) await commitUnlessChanged(core, writes, 'decay')
    done += part.length
    onProgress?.(done)
    if (part.length < PART) return report
    const { updatedAt, id } = part.at(-1)!.memory
    after = { updatedAt, id }
  }
}

/** Sets inactive what is beyond the caps of its scope: of the whole store, or of these scopes only. */
export async function retire(
  core: Core,
  { dryRun = false }: SweepOptions,
  scopes: readonly ScopeSelector[] | null = null,
): Promise<number> {
  const entries: Retained[] = []
  const byId = new Map<string, Memory>()
  let after: ListQuery['after'] = null
  for (;;) {
    const start: ListQuery['after'] = after
    const { memories }: { memories: Memory[] } = await core.attempt(() =>
      core.storage.list({
        scopes,
        where: { categories: WORKFLOW_CATEGORIES, visibleAt: core.now() },
        limit: PART,
        after: start,
        count: false,
      }),
    )
    for (const memory of memories) {
      const { layer, owner, project } = scopeOf(memory.layer, memory.identifiers)
      entries.push({ ...memory, scopeKey: JSON.stringify([layer, owner, project]) })
      byId.set(memory.id, memory)
    }
    const last = memories.at(-1)
    if (!last || memories.length < PART) break
    after = { createdAt: last.createdAt, id: last.id }
  }
  const ids = planRetention(entries, core.settings)
  if (!dryRun) {
    for (let start = 0; start < ids.length; start += PART) {
      const writes = ids.slice(start, start + PART).map((id): Write => {
        const memory = byId.get(id)!
        return { kind: 'update', memory: { ...memory, active: false, version: memory.version + 1 } }
      })
      await commitUnlessChanged(core, writes, 'retention')
    }
  }
  return ids.length
}

async function removeExpired(core: Core, { dryRun = false }: SweepOptions): Promise<number> {
  const ids = await core.attempt(() => core.storage.listExpired(core.now().toISOString()))
  if (dryRun) return ids.length
  for (let start = 0; start < ids.length; start += PART) {
    const writes = ids.slice(start, start + PART).map((id): Write => ({ kind: 'delete', id }))
    await core.attempt(() => core.storage.commit(writes, 'expiry'))
  }
  return ids.length
}

/** A memory that changes while it is swept is left to the next sweep: it is not stale any more. */
async function commitUnlessChanged(core: Core, writes: readonly Write[], by: string): Promise<void> {
  await core.attempt(() => core.storage.commit(writes, by, { skipConflicts: true }))
}
