import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'

/** The test rows are from January 2026, when they had not faded yet. */
export const now = () => new Date('2026-01-20T00:00:00.000Z')

/** A store, and a connection of another program to its file. */
export async function openStore() {
  const path = join(scratchFolder(), 'memory.db')
  const memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), actor: 'test', now })
  const sql = new DatabaseSync(path)
  onTestFinished(async () => {
    sql.close()
    await memory.shutdown()
  })
  return { path, memory, sql }
}

export async function openHandle(path: string): Promise<Storage> {
  const storage = sqliteStorage({ path })
  await storage.initialize({ name: 'm', dimensions: 4 })
  onTestFinished(() => storage.shutdown())
  return storage
}
