import { setTimeout } from 'node:timers/promises'
import { MemoryError } from '../model/errors.ts'
import type { Logger } from '../observe/log.ts'
import type { Nokosu } from './nokosu.ts'

/** A time of day in UTC. */
export interface TimeOfDay {
  hour: number
  minute: number
}

export function parseTimeOfDay(text: string): TimeOfDay | null {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return found && { hour: Number(found[1]), minute: Number(found[2]) }
}

/** Strictly after `now`. */
export function nextTime(now: Date, { hour, minute }: TimeOfDay): Date {
  const next = new Date(now)
  next.setUTCHours(hour, minute, 0, 0)
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1)
  return next
}

interface Clock {
  now(): Date
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

const CLOCK: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }),
}

/** Sweeps every day at this time. If several servers share a store, one of them does it. */
export function sweepDaily(
  engine: Pick<Nokosu, 'sweep'>,
  at: TimeOfDay,
  log: Logger,
  { now, sleep }: Clock = CLOCK,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const work = async () => {
    for (;;) {
      const next = nextTime(now(), at)
      // A timer may end a little early, or the clock may be set back.
      while (now() < next) await sleep(next.getTime() - now().getTime(), signal)
      try {
        const report = await engine.sweep({ key: next.toISOString().slice(0, 10), signal })
        log.info({ ...report }, 'swept the store')
      } catch (error) {
        if (signal.aborted) return
        // A fault of ours must not end the server either.
        const told = MemoryError.is(error)
          ? { code: error.code, error: error.message }
          : { error: error instanceof Error ? error.stack : String(error) }
        log.warn(told, 'the sweep failed; the next one is tomorrow')
      }
    }
  }
  const done = work().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
