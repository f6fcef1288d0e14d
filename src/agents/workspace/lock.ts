import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'

export interface Lock {
  release(): unknown
}

const BUSY = 5

/**
 * A lock between processes; null while another process holds it. It is the operating system's, through SQLite: a killed
 * process releases it at once, and no lock goes stale.
 */
export function tryLock(path: string): Lock | null {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Locking writes to an empty file. Later it needs no space, so it still works on a full disk.
    if (statSync(path).size === 0) database.exec('PRAGMA user_version = 1')
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.isOpen && database.close() }
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === BUSY) return null
    throw error
  }
}

/** Waits for the lock, up to a limit. */
export async function withLock<T>(path: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + patienceMs; ; await sleep(10 + Math.random() * 20)) {
    const lock = tryLock(path)
    if (lock !== null) return work().finally(() => lock.release())
    if (Date.now() >= end) throw new MemoryError('PROVIDER_ERROR', `Another process has held ${path} for too long.`)
  }
}
