import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { createOnce } from './create-once.ts'

/** The folder of a project's data, in its root. */
export const STORE_FOLDER = '.nokosu'

/** Next to a repository's own store: the repository's name in it. */
export const NAME_FILE = 'project'

/** The file of a SQLite URL; null for stores that are not files. */
export function storeFile(url: string): string | null {
  if (!url.startsWith('sqlite:') || url === 'sqlite::memory:') return null
  const path = url.slice('sqlite:'.length)
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}

/**
 * Before a project's store is created: creates `.nokosu` with a `.gitignore` that keeps memories out of commits, and records the
 * repository's name. Leaves other folders alone. False if another process has chosen a name meanwhile.
 */
export function prepareStore(url: string, name: string | null = null): boolean {
  const file = storeFile(url)
  if (file === null || basename(dirname(file)) !== STORE_FOLDER || existsSync(file)) return true
  const folder = dirname(file)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    createOnce(join(folder, '.gitignore'), '*\n')
    return name === null || createOnce(join(folder, NAME_FILE), `${name}\n`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new MemoryError('PROVIDER_ERROR', `Cannot create ${folder} (${code ?? message}). Choose a store with --db.`, {
      retryable: false,
      details: { path: folder },
      cause: error,
    })
  }
}
