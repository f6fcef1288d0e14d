import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Keeps a store to its owner: a new file and a new folder are created so, and what others could read is tightened. A folder that is not
 * ours alone (the user's own, in which the file was put) stays as it is, and so does what belongs to somebody else.
 */
export function makePrivate(file: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (basename(folder) === '.nokosu') tighten(folder, 0o700)
  try {
    // Never an existing one: closing it here would drop the locks of SQLite's own connections to it.
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It is there, or cannot be created: then SQLite says why.
  }
  // SQLite gives its log and index the mode of the file.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) tighten(path, 0o600)
}

function tighten(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & 0o077) === 0) return
  try {
    chmodSync(path, mode)
  } catch {
    // Only the owner can.
  }
}
