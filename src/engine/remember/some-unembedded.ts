import type { ScopeSelector } from '../../model/layer.ts'
import type { Core } from '../core.ts'

/** Checking again costs as much as last time, so fast answers are cached briefly and slow ones longer. */
const [KEPT_MS, COSTLY_MS, COSTLY_KEPT_MS] = [2000, 5, 30_000]
/** The most answers to remember; above it, all are forgotten. */
const MOST = 1000
const looked = new WeakMap<Core['sessions'], Map<string, { found: boolean; until: number }>>()

/**
 * Whether these scopes have memories without a vector of the current model: from another program, or another model. Not
 * the whole store: on DynamoDB that would read all of it.
 */
export async function hasUnembedded(
  { storage, attempt, sessions }: Core,
  scopes: readonly ScopeSelector[],
): Promise<boolean> {
  const name = JSON.stringify(scopes)
  const answers = looked.get(sessions) ?? new Map<string, { found: boolean; until: number }>()
  const before = answers.get(name)
  const started = performance.now()
  if (before !== undefined && before.until > started) return before.found
  const query = { scopes, where: { embedded: false }, order: 'oldest', limit: 1, after: null } as const
  const { items } = await attempt(() => storage.memories({ ...query, count: false, vectors: false }))
  const now = performance.now()
  const found = items.length > 0
  if (answers.size >= MOST) answers.clear()
  looked.set(
    sessions,
    answers.set(name, { found, until: now + (now - started > COSTLY_MS ? COSTLY_KEPT_MS : KEPT_MS) }),
  )
  return found
}
