import { DatabaseSync } from 'node:sqlite'

/**
 * Whether the file names an application, as ours does, or cannot be read now: opening it reports why. Reads through SQLite,
 * because closing a plain file handle would drop the locks that this process holds on the file.
 */
export function hasOwner(path: string): boolean {
  try {
    const file = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    try {
      return file.prepare('PRAGMA application_id').get()?.application_id !== 0
    } finally {
      file.close()
    }
  } catch {
    return true
  }
}
