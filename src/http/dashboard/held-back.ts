import type { Backoff } from '../../engine/backoffs.ts'
import type { SpoolEntry } from '../../remote/list-spool.ts'

/** What this machine holds back: calls that are tried again later, and writes that no store has taken yet. */
export interface HeldBack {
  providers: Backoff[]
  spool: SpoolEntry[]
}
