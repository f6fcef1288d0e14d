import { MemoryError } from '../../model/errors.ts'
import { DECAY } from '../../model/memory.ts'
import type { PurgeReport, Stale, StaleQuery } from '../storage.ts'
import type { Connection } from './connection.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory } from './row.ts'
import type { VectorPages, VectorPosition } from './vector-pages.ts'

const SESSION_PREFIX = 'session:'

export function sessionsOf(connection: Connection, ids: readonly string[]): Map<string, string[]> {
  const rows = connection.all<{ memory: string; by: string }>(
    `SELECT DISTINCT c.memory, c.by FROM json_each(?) j CROSS JOIN changes c ON c.memory = j.value WHERE c.by LIKE '${SESSION_PREFIX}%'`,
    JSON.stringify(ids),
  )
  const sessions = Map.groupBy(rows, (row) => row.memory)
  return new Map([...sessions].map(([id, own]) => [id, own.map(({ by }) => by.slice(SESSION_PREFIX.length))]))
}

export function listStale(connection: Connection, { at, categories, after, limit }: StaleQuery): Stale[] {
  const behind = after === null ? '' : 'AND (m.updated_at, m.ulid) > (?, ?)'
  return connection.map(
    (row: MemoryRow & { decayed_weeks: number }) => ({ memory: toMemory(row), decayedWeeks: row.decayed_weeks }),
    `SELECT ${SELECT_MEMORY}, m.decayed_weeks FROM memories m
       WHERE m.active = 1 AND m.updated_at <= strftime('%Y-%m-%dT%H:%M:%fZ', ?1, '-${DECAY.graceDays + DECAY.stepDays} days')
         AND m.updated_at <= strftime('%Y-%m-%dT%H:%M:%fZ', ?1,
           '-' || (${DECAY.graceDays} + ${DECAY.stepDays} * (m.decayed_weeks + 1)) || ' days')
         AND m.category IN (SELECT value FROM json_each(?)) ${behind}
       ORDER BY m.updated_at, m.ulid LIMIT ?`,
    at,
    JSON.stringify(categories),
    ...(after === null ? [] : [after.updatedAt, after.id]),
    limit,
  )
}

/** Memories whose last change is before the time and that are inactive or deleted: what they were goes too. */
export function purge(connection: Connection, pages: VectorPages, before: string, dryRun: boolean): PurgeReport {
  const gone = connection.all<{ memory: string }>(
    `SELECT c.memory FROM changes c LEFT JOIN memories m ON m.ulid = c.memory
     WHERE m.ulid IS NULL OR m.active = 0 GROUP BY c.memory HAVING max(c.at) < ?`,
    before,
  )
  const ids = JSON.stringify(gone.map((row) => row.memory))
  const rows = connection.all<VectorPosition>(
    'SELECT m.id, m.scope_key, m.vector_page FROM json_each(?) j CROSS JOIN memories m ON m.ulid = j.value',
    ids,
  )
  const count = (sql: string, ...values: string[]) => connection.get<{ n: number }>(sql, ...values)!.n
  const unused = `FROM embeddings WHERE id NOT IN (SELECT embedding_id FROM memories WHERE embedding_id IS NOT NULL
    AND ulid NOT IN (SELECT value FROM json_each(?)))`
  if (dryRun) {
    return {
      memories: rows.length,
      changes: count('SELECT count(*) AS n FROM changes WHERE memory IN (SELECT value FROM json_each(?))', ids),
      vectors: count(`SELECT count(*) AS n ${unused}`, ids),
    }
  }
  for (const row of rows) {
    pages.replace(row, null)
    connection.run('DELETE FROM memories WHERE id = ?', row.id)
  }
  // The deletions just made wrote history of their own: it goes with the rest.
  const changes = connection.run('DELETE FROM changes WHERE memory IN (SELECT value FROM json_each(?))', ids).changes
  connection.run('DELETE FROM injections WHERE memory IN (SELECT value FROM json_each(?))', ids)
  const vectors = connection.run(`DELETE ${unused}`, ids).changes
  pages.announce()
  return { memories: rows.length, changes: changes - rows.length, vectors }
}

/** What was deleted is still legible in the free space of the file, and its words in the index: both are written anew. */
export function eraseFreeSpace(connection: Connection): void {
  try {
    connection.exec(`INSERT INTO memories_fts (memories_fts) VALUES ('optimize')`)
    connection.exec('VACUUM')
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (cause) {
    // Not to be run again: the next purge would find nothing to do, and report that.
    const message = 'The memories are removed, but their text may still be in the free space of the file'
    throw new MemoryError('PROVIDER_ERROR', `${message}: ${(cause as Error).message}`, { retryable: false, cause })
  }
}
