import type { StoreConnection } from '../remote/client.ts'
import type { Hook } from './hook.ts'

/**
 * Delivers what earlier sessions spooled, as far as time allows. The next hook continues. Returns how many
 * records the store accepted.
 */
export async function deliverEarlier(
  store: StoreConnection,
  { warn }: Pick<Hook, 'warn'>,
  ms: number,
): Promise<number> {
  if (ms < 1) return 0
  try {
    const { delivered, failures } = await store.request('deliver', { ms: Math.ceil(ms / 2) }, { boundMs: ms })
    for (const failure of failures) warn(`From an earlier session: ${failure}`)
    return delivered
  } catch {
    // It took too long, or the store failed. The rest stays in the spool.
    return 0
  }
}
