import type { ShownLesson } from '../capture/lessons/bear-out.ts'
import type { ShownAt } from '../capture/use/work.ts'
import { decayed } from '../lifecycle/decay.ts'
import { LIMITS } from '../model/limits.ts'
import type { Write } from '../storage/commit.ts'
import type { Caller, Core } from './core.ts'
import { changedRow, commitUnlessChanged } from './write.ts'

/**
 * Counts the memories that a session acted on, among those it was shown, once per session however often it is reported. Use is not
 * evidence: the confidence stays, and only the decay clock restarts.
 */
export async function storeUses(core: Core, caller: Caller, session: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { storage, attempt } = core
  const now = core.now()
  const shown = new Set((await readShown(core, session)).map(({ id }) => id))
  const keys = new Map(ids.filter((id) => shown.has(id)).map((id) => [id, usedKey(session, id)]))
  const counted = await attempt(() => storage.known([...keys.values()]))
  const found = await attempt(() => storage.get([...keys.keys()].filter((id) => !counted.has(keys.get(id)!))))
  const writes = found.map(({ memory }): Write => {
    const { useCount, version } = memory
    const used = { useCount: useCount + 1, lastUsedAt: now.toISOString(), decayedWeeks: 0, version: version + 1 }
    return {
      kind: 'update',
      row: changedRow({ ...decayed(memory, now, core.settings.decay), ...used }),
      once: [keys.get(memory.id)!],
    }
  })
  await commitUnlessChanged(core, writes, caller.identifiers === null ? `session:${session}` : caller.by, now)
}

/** The once-key that makes a session's use of a memory count once. */
export function usedKey(session: string, memory: string): string {
  return `used\n${session}\n${memory}`
}

/** What a session was shown, and when. */
export async function readShown({ storage, attempt }: Core, session: string): Promise<(ShownAt & ShownLesson)[]> {
  const query = { session, memory: null, after: null, limit: LIMITS.pageLimit }
  const { items } = await attempt(() => storage.injections(query))
  const found = await attempt(() => storage.get([...new Set(items.map(({ memory }) => memory))]))
  const byId = new Map(found.map(({ memory }) => [memory.id, memory]))
  return items.flatMap(({ memory: id, at }) => {
    const memory = byId.get(id)
    if (!memory) return []
    const { content, service, category } = memory
    return [{ id, content, service, category, at: Date.parse(at) }]
  })
}
