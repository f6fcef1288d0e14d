import { setTimeout } from 'node:timers/promises'
import { MemoryError } from '../model/errors.ts'
import type { Logger } from '../observe/log.ts'
import type { Nokosu } from './nokosu.ts'

/** Serves requests in order. */
const WAIT_MS = 1000

/**
 * Creates missing vectors in the background of a long-lived process: for rows of other programs, and for all rows after a
 * change of model. Until then they are found and compared by words. `healthCheck` reports what remains.
 */
export function embedAhead(engine: Nokosu, log: Logger, waitMs = WAIT_MS): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const work = async () => {
    await setTimeout(waitMs, undefined, { signal })
    const { embedded } = await engine.reembed({ signal, gently: true })
    if (embedded > 0) log.info({ embedded }, 'added missing vectors')
  }
  const done = work().catch((error: unknown) => {
    if (signal.aborted) return
    if (!MemoryError.is(error)) throw error
    log.debug({ code: error.code }, `cannot add missing vectors: ${error.message}`)
  })
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** A store whose vectors a server manages: not every client may read all of it. */
export function isServed(url: string): boolean {
  return /^(?:https?|dynamodb):/.test(url)
}
