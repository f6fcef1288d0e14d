import type { StoreConnection } from '../remote/client.ts'
import type { Hook } from './hook.ts'

/**
 * Hands over what earlier sessions left in the spool, as far as the time goes: the next hook goes on with it. Returns how many
 * records the store has taken.
 */
export async function deliverEarlier(
  store: StoreConnection,
  { warn }: Pick<Hook, 'warn'>,
  ms: number,
): Promise<number> {
  if (ms < 1) return 0
  try {
    const { delivered, failures } = await store.request('deliver', { ms: Math.ceil(ms / 2) }, { boundMs: ms })
    for (const failure of failures) warn(`Of an earlier session, ${failure}`)
    return delivered
  } catch {
    // It took too long, or the store failed. What waits, waits on.
    return 0
  }
}
