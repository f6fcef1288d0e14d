import { deadline, within } from './bound.ts'
import type { StoreConnection } from './client.ts'
import { hasWaiting } from './spool-waiting.ts'

/** Milliseconds that a healthy store may take to load its models. Not part of any bound. */
export const MODELS_MS = 10_000
/** The same at the end of a run, when no agent is waiting: small or busy machines need this long. */
export const LATE_MODELS_MS = 60_000

export interface FreshLook {
  spoolFolders: readonly string[]
  /** Milliseconds for everything except loading models. */
  boundMs: number
  /** Whether the store can be written to: if not, nothing waits for its models. */
  accepts?(): Promise<boolean>
  warn(text: string): void
}

const UNDELIVERED = 'the spooled writes of an earlier run were not delivered in time, so this agent may not see them'

/** Reports what stays in the spool or was set aside as a problem of an earlier run. */
export function tellFailures(failures: readonly string[], { warn }: Pick<FreshLook, 'warn'>): void {
  for (const failure of failures) warn(`from an earlier run: ${failure}`)
}

/**
 * Reads a store after delivering what earlier processes spooled, so that this process sees their learnings. If delivery
 * takes too long, returns what the store held before, and says so. Rejects if it did not answer in time.
 */
export async function lookFresh<T>(
  store: StoreConnection,
  options: FreshLook,
  look: (boundMs: number) => Promise<T>,
): Promise<T> {
  const { spoolFolders, boundMs, accepts = async () => true, warn } = options
  const waiting = hasWaiting(spoolFolders)
  const bound = deadline(boundMs)
  const before = await look(boundMs)
  if (!(await waiting)) return before
  if (!(await accepts())) {
    warn(UNDELIVERED)
    return before
  }
  const left = bound.left()
  await within(store.request('warm', {}, { boundMs: MODELS_MS }), MODELS_MS)
  const fresh = await within(lookAfterDelivery(store, { ...options, boundMs: left }, look), left)
  if (fresh === null || fresh.value.more) {
    warn(UNDELIVERED)
  }
  return fresh?.value.found ?? before
}

/** `found` is empty if nothing was delivered. Half of the time is for delivery, so that the other half is left for reading. */
async function lookAfterDelivery<T>(
  store: StoreConnection,
  options: FreshLook,
  look: (boundMs: number) => Promise<T>,
): Promise<{ found: T | null; more: boolean }> {
  const { boundMs } = options
  const { left } = deadline(boundMs)
  const ms = Math.ceil(boundMs / 2) || 1
  const { delivered, failures, more } = await store.request('deliver', { ms }, { boundMs })
  tellFailures(failures, options)
  return { found: delivered > 0 ? await look(left()) : null, more }
}
