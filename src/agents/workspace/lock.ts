import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'

export interface Lock {
  release(): unknown
}

const BUSY = 5

/**
 * A lock over all processes; null while another one has it. It is the operating system's, by way of SQLite: a process that is
 * killed lets go of it at once, and there is no stale lock to recognise.
 */
export function tryLock(path: string): Lock | null {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // An empty file is written to when it is locked. Later that takes no space: on a full disk it is still a lock.
    if (statSync(path).size === 0) database.exec('PRAGMA user_version = 1')
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.isOpen && database.close() }
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === BUSY) return null
    throw error
  }
}

/** Waits for the lock, at most this long. */
export async function withLock<T>(path: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + patienceMs; ; await sleep(10 + Math.random() * 20)) {
    const lock = tryLock(path)
    if (lock !== null) return work().finally(() => lock.release())
    if (Date.now() >= end) throw new MemoryError('PROVIDER_ERROR', `Another process has held ${path} for too long.`)
  }
}
