import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Where a store's spool may lie, best first. A writer takes the first that can be written; a reader looks into all. */
export interface SpoolPlace {
  /** The file of the store; null for a store that is a server, whose spool is the machine's and not a project's. */
  file: string | null
  /** The store's URL: tells the spools of several stores apart in the folder that they share. */
  url: string
  env: Readonly<Record<string, string | undefined>>
}

export function spoolFolders({ file, url, env }: SpoolPlace): string[] {
  const shared = join(stateFolder(env), 'nokosu', 'spool', nameOf(url))
  return file === null ? [shared] : [besideStore(file, 'spool'), shared]
}

/** The same for every name that this machine has for itself: the server that delivers what waits does not know which was used. */
function nameOf(url: string): string {
  const named = /^https?:/.test(url) && URL.canParse(url) ? withoutLoopback(new URL(url)) : url
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

function withoutLoopback({ protocol, hostname, port, pathname }: URL): string {
  const host = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? 'localhost' : hostname
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, '')}`
}

/** `.nokosu/memory.db` has `.nokosu/spool`; a file elsewhere may have neighbours, and has `FILE-spool`. */
export function besideStore(file: string, name: string): string {
  const folder = dirname(file)
  return basename(folder) === '.nokosu' && basename(file) === 'memory.db' ? join(folder, name) : `${file}-${name}`
}

/** Where a user's programs keep what outlives them; in a container a folder of a volume. */
export function stateFolder(env: SpoolPlace['env']): string {
  if (env.NOKOSU_STATE) return env.NOKOSU_STATE
  if (env.XDG_STATE_HOME) return env.XDG_STATE_HOME
  if (process.platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA
  return join(env.HOME || homedir(), '.local', 'state')
}
