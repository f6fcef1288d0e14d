import type { Nokosu } from '../engine/nokosu.ts'
import { deliverSpool } from './spool-deliver.ts'

export interface DeliveryOptions {
  /** Milliseconds between two checks of the spool. Default: 30,000. */
  everyMs?: number
  /** A record that waits or was set aside, and why. */
  onFailure(failure: string): void
}

const EVERY_MS = 30_000
/** Milliseconds for one check, so that a large spool blocks nothing. */
const PART_MS = 500

/** Delivers what runs on this machine spool, now and periodically, until stopped. */
export function deliverOften(
  engine: Nokosu,
  folders: readonly string[],
  { everyMs = EVERY_MS, onFailure }: DeliveryOptions,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let told = new Set<string>()
  const look = async (): Promise<void> => {
    const { failures, more } = await deliverSpool(engine, folders, PART_MS)
    // Reports waiting records once, not at every check.
    for (const failure of failures) if (!told.has(failure)) onFailure(failure)
    told = new Set(failures)
    if (!stopped) timer = setTimeout(again, more ? PART_MS : everyMs).unref()
  }
  let running = look()
  function again(): void {
    running = look()
  }
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
