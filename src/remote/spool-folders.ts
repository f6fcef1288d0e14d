import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Where a store's spool may be, best first. A writer uses the first writable folder; a reader looks in all. */
export interface SpoolPlace {
  /** The store's file. Null for a server, whose spool belongs to the machine and not to a project. */
  file: string | null
  /** The store's URL distinguishes several stores in a shared folder. */
  url: string
  env: Readonly<Record<string, string | undefined>>
}

export function spoolFolders({ file, url, env }: SpoolPlace): string[] {
  const shared = join(sharedSpools(env), nameOf(url))
  return file === null ? [shared] : [besideStore(file, 'spool'), shared]
}

/** Whether there may be a spool: otherwise its name need not be computed, which takes Node's cryptography. */
export function mayHaveSpool({ file, env }: SpoolPlace): boolean {
  return holdsSomething(sharedSpools(env)) || (file !== null && holdsSomething(besideStore(file, 'spool')))
}

/** What remains of a delivered spool is the folder, with its `.gitignore`. */
function holdsSomething(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name !== '.gitignore')
  } catch {
    return existsSync(folder)
  }
}

function sharedSpools(env: SpoolPlace['env']): string {
  return join(stateFolder(env), 'nokosu', 'spool')
}

/** The same for all names of this machine: the server that delivers does not know which name was used. */
function nameOf(url: string): string {
  const named = /^https?:/.test(url) && URL.canParse(url) ? withoutLoopback(new URL(url)) : url
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

function withoutLoopback({ protocol, hostname, port, pathname }: URL): string {
  const host = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? 'localhost' : hostname
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, '')}`
}

/** `.nokosu/memory.db` uses `.nokosu/spool`. A file elsewhere may have siblings, so it uses `FILE-spool`. */
export function besideStore(file: string, name: string): string {
  const folder = dirname(file)
  return basename(folder) === '.nokosu' && basename(file) === 'memory.db' ? join(folder, name) : `${file}-${name}`
}

/** Where a user's programs keep persistent state; in a container, on a volume. */
export function stateFolder(env: SpoolPlace['env']): string {
  if (env.NOKOSU_STATE) return env.NOKOSU_STATE
  if (env.XDG_STATE_HOME) return env.XDG_STATE_HOME
  if (process.platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA
  return join(env.HOME || homedir(), '.local', 'state')
}
