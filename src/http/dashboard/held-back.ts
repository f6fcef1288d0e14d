import type { Backoff } from '../../engine/backoffs.ts'
import type { SpoolEntry } from '../../remote/list-spool.ts'
import type { View } from './view.ts'

/** What this machine holds back: calls that are tried again later, and writes that no store has taken yet. */
export interface HeldBack {
  providers: Backoff[]
  spool: SpoolEntry[]
}

/** The machine’s own affairs are for callers who may see the whole store. */
export async function heldBack({ access, parts }: View): Promise<HeldBack | null> {
  return access.may('admin') && parts.heldBack ? parts.heldBack() : null
}
