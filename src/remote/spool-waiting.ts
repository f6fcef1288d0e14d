import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ABANDONED_MS, readSpoolName, type SpoolState } from './spool-file.ts'

export async function hasWaiting(folders: readonly string[]): Promise<boolean> {
  return (await waitingIn(folders)).length > 0
}

export interface Waiting {
  folder: string
  name: string
  state: SpoolState
}

/** Oldest first, whichever folder it is in: names begin with the time when they were made. */
export async function waitingIn(folders: readonly string[]): Promise<Waiting[]> {
  const found: Waiting[] = []
  for (const folder of folders) {
    // No spool, or one that cannot be read: nothing can be delivered from there.
    for (const file of await readdir(folder).catch(() => [])) {
      const known = readSpoolName(file)
      if (known === null) continue
      if (known.state === 'ready' || (await isAbandoned(join(folder, file)))) found.push({ folder, ...known })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function isAbandoned(path: string): Promise<boolean> {
  // A file that is gone has just been finished with.
  const file = await stat(path).catch(() => null)
  return file !== null && Date.now() - file.mtimeMs > ABANDONED_MS
}
