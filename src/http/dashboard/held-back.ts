import type { Backoff } from '../../engine/backoffs.ts'
import type { SpoolEntry } from '../../remote/list-spool.ts'

/** What this machine holds back: calls to be retried, and writes that no store has accepted yet. */
export interface HeldBack {
  providers: Backoff[]
  spool: SpoolEntry[]
}
