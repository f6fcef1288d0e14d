import type { Queries } from './client.ts'

export const CHANNEL = 'nokosu_changed'
/** Milliseconds between two notifications of one process: the server hands them out one commit after the other. */
const PAUSE_MS = 100

/** Tells other processes that something was written: at once, and then at most every tenth of a second. */
export class Notifier {
  readonly #queries: Queries
  #sending: Promise<void> = Promise.resolve()
  #pause: NodeJS.Timeout | null = null
  #isDue = false

  constructor(queries: Queries) {
    this.#queries = queries
  }

  /** Beside the commit, not in it: commits with a notification wait for each other. */
  tell(): void {
    if (this.#pause) {
      this.#isDue = true
      return
    }
    this.#send()
    this.#pause = setTimeout(() => {
      this.#pause = null
      if (this.#isDue) this.tell()
    }, PAUSE_MS)
    this.#pause.unref()
  }

  /** Resolves when all that was to be told has been. */
  async flush(): Promise<void> {
    if (this.#pause) clearTimeout(this.#pause)
    if (this.#isDue) this.#send()
    await this.#sending
  }

  #send(): void {
    this.#isDue = false
    // The write stands whether or not others hear of it: they look from time to time.
    this.#sending = this.#queries.query(`SELECT pg_notify('${CHANNEL}', '')`).then(
      () => {},
      () => {},
    )
  }
}
