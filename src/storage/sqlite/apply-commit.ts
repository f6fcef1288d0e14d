import type { Commit, CommitResult } from '../commit.ts'
import { decide, touchedBy } from '../decide.ts'
import type { Connection } from './connection.ts'
import { readKnown } from './known.ts'
import type { VectorPages } from './vector-pages.ts'
import { MemoryWriter } from './write-memory.ts'
import { writeRecords } from './write-records.ts'

const REMEMBERED_COMMITS = 20_000

/** Applies all writes or none. The caller holds the write transaction. */
export function applyCommit(connection: Connection, pages: VectorPages, commit: Commit): CommitResult {
  const before = connection.get<{ changed: number; note: string | null }>(
    'SELECT changed, note FROM commit_keys WHERE key = ?',
    commit.key,
  )
  if (before) return { applied: true, repeated: true, changed: before.changed, note: before.note }
  const known = readKnown(connection, touchedBy(commit.writes))
  const decision = decide(commit, known)
  const { failures, changed, note } = decision
  if (failures.length > 0) return { applied: false, failures }
  const memories = new MemoryWriter(connection, pages, known.memories)
  for (const write of decision.memories) memories.write(write)
  for (const { change, isOwn } of decision.history.values()) {
    if (isOwn) memories.record(change)
    else memories.addChange(change)
  }
  writeRecords(connection, decision, known)
  remember(connection, commit.key, changed, note)
  return { applied: true, repeated: false, changed, note }
}

function remember(connection: Connection, key: string, changed: number, note: string | null): void {
  const { id } = connection.run('INSERT INTO commit_keys (key, changed, note) VALUES (?, ?, ?)', key, changed, note)
  // Usually deletes at most one row; after a gap, all at once.
  connection.run('DELETE FROM commit_keys WHERE id <= ?', id - REMEMBERED_COMMITS)
}
