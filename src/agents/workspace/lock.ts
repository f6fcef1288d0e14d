import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'

const PATIENCE_MS = 10_000
const BUSY = 5

/**
 * One at a time in this folder, over all processes. SQLite's lock is the operating system's: a process that is killed lets go
 * of it at once, and there is no stale lock to recognise.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  // Waiting is done here: SQLite's own would stop this whole process, and with it whoever holds the lock in it.
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(10 + Math.random() * 20)) {
      try {
        database.exec('BEGIN EXCLUSIVE')
        break
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY) throw error
        if (Date.now() < deadline) continue
        throw new MemoryError('PROVIDER_ERROR', `Another process has held ${path} for too long.`, { cause: error })
      }
    }
    return await work()
  } finally {
    database.close()
  }
}
