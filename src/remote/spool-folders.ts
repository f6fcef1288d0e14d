import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Where a store's spool may lie, best first. A writer takes the first that can be written; a reader looks into all. */
export interface SpoolPlace {
  /** The file of the store; null for a store that is a server. */
  file: string | null
  /** The store's URL: tells the spools of several stores apart in the folder that they share. */
  url: string
  /** The project's folder. */
  root: string
  env: Readonly<Record<string, string | undefined>>
}

export function spoolFolders({ file, url, root, env }: SpoolPlace): string[] {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 16)
  return [besideStore(file, root), join(stateFolder(env), 'nokosu', 'spool', name)]
}

/** `.nokosu/memory.db` has `.nokosu/spool`; a file elsewhere may have neighbours, and has `FILE-spool`. */
function besideStore(file: string | null, root: string): string {
  if (file === null) return join(root, '.nokosu', 'spool')
  const folder = dirname(file)
  return basename(folder) === '.nokosu' && basename(file) === 'memory.db' ? join(folder, 'spool') : `${file}-spool`
}

function stateFolder(env: SpoolPlace['env']): string {
  if (env.XDG_STATE_HOME) return env.XDG_STATE_HOME
  if (process.platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA
  return join(env.HOME || homedir(), '.local', 'state')
}
