import type { Tally } from '../../storage/tally.ts'
import type { View } from './view.ts'

const DAYS = 90
export const DAY_MS = 86_400_000

export async function tallyOf({ own }: View): Promise<Tally> {
  const since = new Date(Date.now() - (DAYS - 1) * DAY_MS)
  since.setUTCHours(0, 0, 0, 0)
  return own.tally({ since: since.toISOString() })
}
