import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Makes a store readable only by its owner: new files and folders are created that way, and existing permissions are
 * tightened. A shared folder that already existed, and files of other users, are left alone.
 */
export function makePrivate(file: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (basename(folder) === '.nokosu') tighten(folder, 0o700)
  try {
    // Never opens an existing file: closing it here would drop SQLite's own locks on it.
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It exists, or cannot be created: then SQLite reports why.
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
