import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { codeOf } from './files.ts'

/** A run that needs what was injected. It may be killed at any time, so it says how to find out that it is gone. */
export interface Holder {
  id: string
  /** For people. */
  name: string
  since: string
  host: string
  pid: number
  /** When the process started: the number alone is given to another one some day. */
  started: string | null
}

/** A process on another machine or in another container cannot be looked at. This long it is believed to be there. */
const UNSEEN_MS = 24 * 3600 * 1000

export async function createHolder(name: string): Promise<Holder> {
  const { pid } = process
  const since = new Date().toISOString()
  return { id: randomUUID(), name, since, host: hostname(), pid, started: await startOf(pid) }
}

export async function isAlive({ host, pid, started, since }: Holder): Promise<boolean> {
  if (host !== hostname()) return Date.now() - Date.parse(since) < UNSEEN_MS
  return started !== null && (await startOf(pid)) === started
}

/** Null when there is no such process, as far as we can see. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return startOnLinux(pid)
  if (process.platform === 'win32') return isRunning(pid) ? 'running' : null
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const asked = promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
  return asked.then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  )
}

async function startOnLinux(pid: number): Promise<string | null> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile('/proc/sys/kernel/random/boot_id', 'latin1'),
    ])
    // The name before it may hold anything, brackets and spaces too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Dead, and only its parent has not looked yet.
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot.trim()} ${fields[19]}`
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
