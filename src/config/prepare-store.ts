import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { STORE_FOLDER } from './find-project.ts'

/** The file of a SQLite URL; null for stores that are not a file. */
export function storeFile(url: string): string | null {
  if (!url.startsWith('sqlite:') || url === 'sqlite::memory:') return null
  const path = url.slice('sqlite:'.length)
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}

/** Creates a project's `.nokosu` with a `.gitignore` that keeps memories out of commits. Other folders are left alone. */
export function prepareStore(url: string): void {
  const file = storeFile(url)
  if (file === null) return
  const folder = dirname(file)
  if (basename(folder) !== STORE_FOLDER || existsSync(folder)) return
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'a' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new MemoryError('PROVIDER_ERROR', `Cannot create ${folder} (${code ?? message}). Choose a store with --db.`, {
      retryable: false,
      details: { path: folder },
      cause: error,
    })
  }
}
