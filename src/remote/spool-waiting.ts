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

/** Oldest first across folders: names begin with their creation time. */
export async function waitingIn(folders: readonly string[]): Promise<Waiting[]> {
  const found: Waiting[] = []
  for (const folder of folders) {
    // A missing or unreadable spool has nothing to deliver.
    for (const file of await readdir(folder).catch(() => [])) {
      const known = readSpoolName(file)
      if (known === null) continue
      if (known.state === 'ready' || (await isAbandoned(join(folder, file)))) found.push({ folder, ...known })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function isAbandoned(path: string): Promise<boolean> {
  // A file that disappears was just finished.
  const file = await stat(path).catch(() => null)
  return file !== null && Date.now() - file.mtimeMs > ABANDONED_MS
}
