import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readSpoolName, type SpoolState } from './spool-file.ts'

export interface SpoolEntry {
  file: string
  bytes: number
  since: string
  state: 'waits' | 'being written' | 'being delivered' | 'set aside'
}

/** The records waiting in this machine's spool, oldest first. */
export async function listSpool(folders: readonly string[]): Promise<SpoolEntry[]> {
  const found: SpoolEntry[] = []
  for (const folder of folders) {
    // No folder: nothing waits.
    const files = await readdir(folder).catch(() => [])
    for (const file of files) {
      const state = stateOf(file)
      // A file that has just disappeared was delivered.
      const known = state === null ? null : await stat(join(folder, file)).catch(() => null)
      if (state !== null && known) found.push({ file, bytes: known.size, since: known.birthtime.toISOString(), state })
    }
  }
  return found.sort((a, b) => (a.since < b.since ? -1 : 1))
}

function stateOf(file: string): SpoolEntry['state'] | null {
  if (file.endsWith('.rejected')) return 'set aside'
  const state: SpoolState | undefined = readSpoolName(file)?.state
  if (state === undefined) return null
  if (state === 'ready') return 'waits'
  return state === 'open' ? 'being written' : 'being delivered'
}
