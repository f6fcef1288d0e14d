import { setTimeout } from 'node:timers/promises'
import { MemoryError } from '../model/errors.ts'
import type { Logger } from '../observe/log.ts'
import type { Nokosu } from './nokosu.ts'

/** What was asked for first is answered first. */
const WAIT_MS = 1000

/**
 * Gives memories that have no vector one, while a process that lives on does other things: rows of other programs, and all rows after a
 * change of model. Until then they are found and compared by their words. What remains is in `healthCheck`.
 */
export function embedAhead(engine: Nokosu, log: Logger, waitMs = WAIT_MS): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const work = async () => {
    await setTimeout(waitMs, undefined, { signal })
    const { embedded } = await engine.reembed({ signal, gently: true })
    if (embedded > 0) log.info({ embedded }, 'memories that had no vector have one')
  }
  const done = work().catch((error: unknown) => {
    if (signal.aborted) return
    if (!MemoryError.is(error)) throw error
    log.debug({ code: error.code }, `memories without a vector stay without: ${error.message}`)
  })
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** A store whose vectors are left to a server: reading all of it is not for every client. */
export function isServed(url: string): boolean {
  return /^(?:https?|dynamodb):/.test(url)
}
