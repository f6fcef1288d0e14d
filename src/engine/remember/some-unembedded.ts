import type { Core } from '../core.ts'

/** Looking again costs as much as the last time: quick answers are kept for a moment, costly ones for longer. */
const [KEPT_MS, COSTLY_MS, COSTLY_KEPT_MS] = [2000, 5, 30_000]
const looked = new WeakMap<Core['sessions'], { found: boolean; until: number }>()

/** Whether the store has memories without a vector of the model that is in use: of another program, or of another model. */
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
