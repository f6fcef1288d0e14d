import type { ServerParts } from '../route.ts'

type WakingParts = Pick<ServerParts, 'stopping' | 'log'> & { memory: Pick<ServerParts['memory'], 'follow'> }

/** Waits for the next look at the store. */
interface Watch {
  /** Until the store tells of a write, but no less and no more than so many milliseconds, and no longer than the server runs. */
  wait(least: number, most: number): Promise<void>
  end(): void
}

/** Hears of writes where the store tells of them, once for all open pages. */
export class Waking {
  readonly #parts: WakingParts
  readonly #told = new Set<() => void>()
  #isFollowing = false

  constructor(parts: WakingParts) {
    this.#parts = parts
  }

  async watch(): Promise<Watch> {
    await this.#follow()
    const { stopping } = this.#parts
    let isTold = false
    let wake: (() => void) | null = null
    const tell = () => {
      isTold = true
      wake?.()
    }
    this.#told.add(tell)
    const pause = (ms: number, isOver: () => boolean) =>
      new Promise<void>((resolve) => {
        const done = () => {
          if (!isOver() && !stopping.aborted) return
          end()
        }
        const end = () => {
          clearTimeout(timer)
          stopping.removeEventListener('abort', done)
          wake = null
          resolve()
        }
        const timer = setTimeout(end, ms)
        stopping.addEventListener('abort', done)
        wake = done
        done()
      })
    return {
      wait: async (least, most) => {
        await pause(least, () => false)
        await pause(most - least, () => isTold)
        isTold = false
      },
      end: () => void this.#told.delete(tell),
    }
  }

  /** Where that fails, pages look from time to time, as they do on a store that does not tell. */
  async #follow(): Promise<void> {
    const { memory, stopping, log } = this.#parts
    if (this.#isFollowing || stopping.aborted) return
    this.#isFollowing = true
    try {
      const end = await memory.follow(() => {
        for (const tell of this.#told) tell()
      })
      stopping.addEventListener('abort', () => void end?.(), { once: true })
    } catch (error) {
      this.#isFollowing = false
      log.warn({ error: (error as Error).message }, 'the store does not tell of writes: pages follow them later')
    }
  }
}
