import { setTimeout } from 'node:timers/promises'
import type { ServerParts } from '../route.ts'

type WatchParts = Pick<ServerParts, 'stopping' | 'log'> & { memory: Pick<ServerParts['memory'], 'follow'> }

interface Watch {
  /** Resolves when the store notifies of a write, between these limits in milliseconds, or when the server stops. */
  wait(least: number, most: number): Promise<void>
  end(): void
}

/** Subscribes to the store's notifications once for all open pages. */
export class StoreWatch {
  readonly #parts: WatchParts
  readonly #listeners = new Set<() => void>()
  #isFollowing = false

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  async watch(): Promise<Watch> {
    await this.#follow()
    const { stopping } = this.#parts
    let written = new AbortController()
    const listener = () => written.abort()
    this.#listeners.add(listener)
    return {
      async wait(least, most) {
        await pause(least, stopping)
        await pause(most - least, AbortSignal.any([stopping, written.signal]))
        written = new AbortController()
      },
      end: () => void this.#listeners.delete(listener),
    }
  }

  /** If that fails, pages poll, as they do on a store that does not notify. */
  async #follow(): Promise<void> {
    const { memory, stopping, log } = this.#parts
    if (this.#isFollowing || stopping.aborted) return
    this.#isFollowing = true
    try {
      const end = await memory.follow(() => {
        for (const listener of this.#listeners) listener()
      })
      stopping.addEventListener('abort', () => void end?.(), { once: true })
    } catch (error) {
      this.#isFollowing = false
      log.warn({ error: (error as Error).message }, 'the store does not report writes: pages update later')
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
