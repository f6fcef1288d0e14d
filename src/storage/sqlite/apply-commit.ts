import type { Commit, CommitResult, Write, WriteFailure } from '../commit.ts'
import type { Connection } from './connection.ts'
import { putDocument, removeDocument } from './documents.ts'
import { putEvent } from './events.ts'
import { putInjection } from './injections.ts'
import { mergeSession } from './sessions.ts'
import type { VectorPages } from './vector-pages.ts'
import { MemoryWriter, type WriteOutcome } from './write-memory.ts'

/** Commits that are remembered by their key. */
const REMEMBERED_COMMITS = 20_000

/** Raised when a write cannot be applied, so that the transaction is undone; never leaves this folder. */
export class CommitRefused extends Error {
  readonly failures: { write: number; reason: WriteFailure }[]

  constructor(failures: { write: number; reason: WriteFailure }[]) {
    super('A commit could not be applied.')
    this.failures = failures
  }
}

/** Applies all writes, or throws {@link CommitRefused}. The caller holds the write transaction. */
export function applyCommit(connection: Connection, pages: VectorPages, commit: Commit): CommitResult {
  const before = connection.get<{ changed: number; note: string | null }>(
    'SELECT changed, note FROM commit_keys WHERE key = ?',
    commit.key,
  )
  if (before) return { applied: true, repeated: true, changed: before.changed, note: before.note }
  const memories = new MemoryWriter(connection, pages, commit)
  const failures: { write: number; reason: WriteFailure }[] = []
  let changed = 0
  for (const [write, each] of commit.writes.entries()) {
    const outcome = applyWrite(connection, memories, each)
    if (typeof outcome === 'string') failures.push({ write, reason: outcome })
    else if (outcome) changed++
  }
  if (failures.length > 0) throw new CommitRefused(failures)
  remember(connection, commit, changed)
  return { applied: true, repeated: false, changed, note: commit.note ?? null }
}

function applyWrite(connection: Connection, memories: MemoryWriter, write: Write): WriteOutcome {
  switch (write.kind) {
    case 'insert':
      return memories.insert(write)
    case 'update':
      return memories.update(write)
    case 'delete':
      return memories.remove(write)
    case 'embed':
      return memories.embed(write)
    case 'mark':
      return memories.mark(write)
    case 'change':
      return memories.addChange(write.change)
    case 'session':
      return mergeSession(connection, write.session)
    case 'injection':
      return putInjection(connection, write.injection, write.recall)
    case 'event':
      return putEvent(connection, write.event)
    case 'put':
      return putDocument(connection, write.collection, write.document)
    case 'remove':
      return removeDocument(connection, write.collection, write.key)
  }
}

function remember(connection: Connection, { key, note }: Commit, changed: number): void {
  const { id } = connection.run(
    'INSERT INTO commit_keys (key, changed, note) VALUES (?, ?, ?)',
    key,
    changed,
    note ?? null,
  )
  // Almost always none or one; after a time without, all at once.
  connection.run('DELETE FROM commit_keys WHERE id <= ?', id - REMEMBERED_COMMITS)
}
