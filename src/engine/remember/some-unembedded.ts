import type { Core } from '../core.ts'

/** Checking again costs as much as last time, so fast answers are cached briefly and slow ones longer. */
const [KEPT_MS, COSTLY_MS, COSTLY_KEPT_MS] = [2000, 5, 30_000]
const looked = new WeakMap<Core['sessions'], { found: boolean; until: number }>()

/** Whether the store has memories without a vector of the current model: from another program, or another model. */
export async function hasUnembedded({ storage, attempt, sessions }: Core): Promise<boolean> {
  const before = looked.get(sessions)
  const started = performance.now()
  if (before !== undefined && before.until > started) return before.found
  const query = { scopes: null, where: { embedded: false }, order: 'oldest', limit: 1, after: null } as const
  const { items } = await attempt(() => storage.memories({ ...query, count: false, vectors: false }))
  const now = performance.now()
  const found = items.length > 0
  looked.set(sessions, { found, until: now + (now - started > COSTLY_MS ? COSTLY_KEPT_MS : KEPT_MS) })
  return found
}
