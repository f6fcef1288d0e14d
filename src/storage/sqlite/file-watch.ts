import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { MemoryError } from '../../model/errors.ts'
import { isBusy, translateError } from './translate-error.ts'

/** Milliseconds between two looks into the file while it is written to. */
const LOOK_MS = 1000

/**
 * An open file goes on taking writes when its name is gone: they would be acknowledged, and lost with the process. So it is
 * compared with what has its name now, at each write, which takes some microseconds.
 */
export class FileWatch {
  readonly #path: string
  readonly #opened: string | null
  #lookedAt = performance.now()

  constructor(path: string) {
    this.#path = path
    this.#opened = identityOf(path)
  }

  /** Throws when the file was removed or replaced; now and then, also when what it holds is no store any more. */
  beforeWrite(): void {
    if (this.#opened === null) return
    if (identityOf(this.#path) !== this.#opened) throw gone(this.#path)
    if (performance.now() - this.#lookedAt >= LOOK_MS) this.look()
  }

  /** Reads the file as somebody would who opens it now: an open connection may answer from what it remembers. */
  look(): void {
    if (this.#opened === null) return
    if (identityOf(this.#path) !== this.#opened) throw gone(this.#path)
    this.#lookedAt = performance.now()
    try {
      // By SQLite: to close the file by other means would drop the locks that this process has on it.
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

/** Which file has this name; null for a store in memory. */
function identityOf(path: string): string | null {
  if (path === ':memory:') return null
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? '' : `${found.dev} ${found.ino}`
}

function gone(path: string): MemoryError {
  return new MemoryError(
    'PROVIDER_ERROR',
    `The database ${path} was removed or replaced while it was open: nothing was written. Put it back, and start again what uses it.`,
    { retryable: false, details: { path } },
  )
}
