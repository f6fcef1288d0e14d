import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { MemoryError } from '../../model/errors.ts'
import { isBusy, translateError } from './translate-error.ts'

/** Between checks of the file's contents during writes. */
const LOOK_SECONDS = 1

/**
 * Writes to an open file still succeed after it was deleted or replaced, and would be lost when the process ends. So
 * each write first compares the open file with the one at its path, which takes microseconds.
 */
export class FileWatch {
  readonly #path: string
  readonly #opened: string | null
  #lookedAt = process.uptime()

  constructor(path: string) {
    this.#path = path
    this.#opened = identityOf(path)
  }

  /** Throws if the file was removed or replaced; periodically also if it is no longer a store. */
  beforeWrite(): void {
    if (this.#opened === null) return
    if (identityOf(this.#path) !== this.#opened) throw gone(this.#path)
    if (process.uptime() - this.#lookedAt >= LOOK_SECONDS) this.look()
  }

  /** Reads the file through a new connection: an open one may answer from its cache. */
  look(): void {
    if (this.#opened === null) return
    if (identityOf(this.#path) !== this.#opened) throw gone(this.#path)
    this.#lookedAt = process.uptime()
    try {
      // Through SQLite: closing the file any other way would drop this process's locks on it.
      const database = new DatabaseSync(this.#path, { readOnly: true, timeout: 0 })
      try {
        database.prepare('SELECT 1 FROM memories LIMIT 1').get()
      } finally {
        database.close()
      }
    } catch (error) {
      const problem = translateError(error, this.#path)
      if (!isBusy(problem)) throw problem
    }
  }
}

/** The identity of the file at this path; null for a store in memory. */
function identityOf(path: string): string | null {
  if (path === ':memory:') return null
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? '' : `${found.dev} ${found.ino}`
}

function gone(path: string): MemoryError {
  return new MemoryError(
    'PROVIDER_ERROR',
    `The database ${path} was removed or replaced while it was open: nothing was written. Put it back, then restart the programs that use it.`,
    { retryable: false, details: { path } },
  )
}
