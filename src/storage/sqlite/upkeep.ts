import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Layer } from '../../model/layer.ts'
import type { PurgeReport, StorageStats } from '../upkeep.ts'
import type { Connection } from './connection.ts'
import { isBusy } from './translate-error.ts'
import type { VectorPages } from './vector-pages.ts'

export function readStats(connection: Connection, path: string): StorageStats {
  const layers = connection.all<{ layer: Layer; memories: number; active: number }>(
    'SELECT layer, sum(memories) AS memories, sum(active) AS active FROM scopes GROUP BY layer HAVING sum(memories) > 0',
  )
  return {
    memories: layers.reduce((sum, row) => sum + row.memories, 0),
    active: layers.reduce((sum, row) => sum + row.active, 0),
    byLayer: Object.fromEntries(layers.map((row) => [row.layer, row.memories])),
    sessions: Number(connection.get<{ value: string }>(`SELECT value FROM settings WHERE name = 'sessions'`)!.value),
    models: connection
      .all<{ name: string }>('SELECT name FROM models WHERE memories > 0 ORDER BY name')
      .map((row) => row.name),
    sizeBytes: path === ':memory:' ? null : fileSize(path),
  }
}

/** Includes the write-ahead log, which holds the newest memories until the next checkpoint. */
function fileSize(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Set in `settings` while removed text may still be readable in the file. */
const UNERASED = 'unerased'

export type Removed = Pick<PurgeReport, 'memories' | 'changes' | 'vectors'>

/**
 * Memories last changed before this time that are inactive or deleted; their former content is removed too. An imported
 * memory may have no history, so its own time is used. The caller holds the write transaction.
 */
export function removeForGood(connection: Connection, pages: VectorPages, before: string, dryRun: boolean): Removed {
  connection.exec('CREATE TEMP TABLE IF NOT EXISTS gone (memory TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM temp.gone')
  connection.run(
    `INSERT INTO temp.gone SELECT memory FROM (
       SELECT c.memory, max(c.at) AS at FROM changes c LEFT JOIN memories m ON m.ulid = c.memory
         WHERE m.ulid IS NULL OR m.active = 0 GROUP BY c.memory
       UNION ALL SELECT m.ulid, m.updated_at FROM memories m
         WHERE m.active = 0 AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.memory = m.ulid)) WHERE at < ?`,
    before,
  )
  const count = (sql: string) => connection.get<{ n: number }>(`SELECT count(*) AS n ${sql}`)!.n
  const isGone = (column: string) => `${column} IN (SELECT memory FROM temp.gone)`
  const unused = `FROM embeddings WHERE id NOT IN (SELECT embedding_id FROM memories WHERE embedding_id IS NOT NULL AND NOT ${isGone('ulid')})`
  const removed = {
    memories: count(`FROM memories WHERE ${isGone('ulid')}`),
    changes: count(`FROM changes WHERE ${isGone('memory')}`),
    vectors: count(unused),
  }
  if (dryRun || removed.memories + removed.changes === 0) return removed
  connection.run(`INSERT OR REPLACE INTO settings VALUES ('${UNERASED}', '1')`)
  connection.run(`DELETE FROM memory_tokens WHERE rowid IN (SELECT id FROM memories WHERE ${isGone('ulid')})`)
  connection.run(`UPDATE memories SET changed_by = '@' WHERE ${isGone('ulid')}`)
  connection.run(`DELETE FROM memories WHERE ${isGone('ulid')}`)
  for (const table of ['changes', 'injections', 'once_keys'])
    connection.run(`DELETE FROM ${table} WHERE ${isGone('memory')}`)
  connection.run(`DELETE ${unused}`)
  // Before 0.2, the stored answers contained memory text. Without them, a repeated call computes its answer.
  connection.run(`UPDATE commit_keys SET note = NULL WHERE note LIKE '%"content":"_%'`)
  pages.announce()
  return removed
}

const IN_LOG =
  `The removed text may still be read from the store's file and its write-ahead log (-wal): another process is reading the store. It is
 erased when the store is purged again after that reader has ended.`.replace('\n', '')
const IN_FREE_SPACE =
  'The removed text may still be read from the free space of the file: another process was writing. It is erased when the store is purged again.'
/** How long to wait for a reader or writer. */
const PATIENCE_MS = 2000

/**
 * Deleted text is still readable in the file's free space, the log and the index, so all are rewritten. Returns what
 * could not be rewritten, for people; null on success.
 */
export async function eraseRemoved(connection: Connection): Promise<string | null> {
  const isUnerased = () => connection.get('SELECT 1 FROM settings WHERE name = ?', UNERASED) !== undefined
  if (!(await connection.read(isUnerased))) return null
  try {
    const optimize = `INSERT INTO memory_tokens (memory_tokens) VALUES ('optimize')`
    await connection.write(() => connection.run(optimize))
    await connection.patiently(() => connection.exec('VACUUM'))
  } catch (error) {
    if (isBusy(error)) return IN_FREE_SPACE
    throw error
  }
  if (!(await emptyLog(connection))) return IN_LOG
  await connection.write(() => connection.run('DELETE FROM settings WHERE name = ?', UNERASED))
  return null
}

/** False if a reader still needs the log. */
async function emptyLog(connection: Connection): Promise<boolean> {
  for (const start = performance.now(); ; await sleep(50)) {
    const result = await connection.patiently(
      () => connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')!.busy,
    )
    if (result === 0) return true
    if (performance.now() - start > PATIENCE_MS) return false
  }
}
