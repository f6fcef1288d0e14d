import type { Nokosu } from '../engine/nokosu.ts'
import { deliverSpool } from './spool-deliver.ts'

export interface DeliveryOptions {
  /** Milliseconds between two looks at the spool. Default: 30,000. */
  everyMs?: number
  /** A record that waits, or was set aside, and why. */
  onFailure(failure: string): void
}

const EVERY_MS = 30_000
/** Milliseconds of one look, so that a large spool holds up nobody. */
const PART_MS = 500

/** Delivers what runs of this machine leave in the spool, now and from time to time, until it is stopped. */
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
    // What waits is told once, not at every look.
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
