import type { Queries } from './client.ts'

export const CHANNEL = 'nokosu_changed'
/**
 * Minimum interval between notifications of one process, in milliseconds: the server serialises commits that notify.
 */
const PAUSE_MS = 100

/** Notifies other processes of writes: at once, then at most every tenth of a second. */
export class Notifier {
  readonly #queries: Queries
  #sending: Promise<void> = Promise.resolve()
  #pause: NodeJS.Timeout | null = null
  #isDue = false

  constructor(queries: Queries) {
    this.#queries = queries
  }

  /** Outside the commit: commits with a notification wait for each other. */
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

  /** Resolves when all pending notifications have been sent. */
  async flush(): Promise<void> {
    if (this.#pause) clearTimeout(this.#pause)
    if (this.#isDue) this.#send()
    await this.#sending
  }

  #send(): void {
    this.#isDue = false
    // A failed notification does not affect the write: other processes poll now and then.
    this.#sending = this.#queries.query(`SELECT pg_notify('${CHANNEL}', '')`).then(
      () => {},
      () => {},
    )
  }
}
