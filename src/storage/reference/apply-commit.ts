import type { Commit, CommitResult, Embedding } from '../commit.ts'
import {
  changeKey,
  type Decision,
  decide,
  documentName,
  type Known,
  keyOf,
  type MemoryWrite,
  touchedBy,
} from '../decide.ts'
import { documentKey } from '../documents.ts'
import type { ReferenceData, Row } from './data.ts'

/** Applies all writes, or none if one fails. Synchronous, so no other commit can interleave. */
export function applyCommit(data: ReferenceData, commit: Commit, model: string): CommitResult {
  const before = data.commits.get(commit.key)
  if (before !== undefined) return { applied: true, repeated: true, ...before }
  const given = structuredClone(commit)
  const decision = decide(given, knownTo(data, given))
  const { failures, changed, note } = decision
  if (failures.length > 0) return { applied: false, failures }
  write(data, decision, model)
  data.commits.set(commit.key, { changed, note })
  return { applied: true, repeated: false, changed, note }
}

function knownTo(data: ReferenceData, { writes }: Commit): Known {
  const touched = touchedBy(writes)
  const among = (map: ReadonlyMap<string, unknown>, keys: Iterable<string>) => [...keys].filter((key) => map.has(key))
  return {
    memories: new Map(among(data.memories, touched.memories).map((id) => [id, data.memories.get(id)!.memory])),
    sessions: new Map(among(data.sessions, touched.sessions).map((id) => [id, data.sessions.get(id)!])),
    once: among(data.once, touched.once),
    changes: among(data.changes, touched.changes.keys()),
    injections: among(data.injections, touched.injections),
    events: among(data.events, touched.events),
    documents: among(data.documents, touched.documents.keys()),
  }
}

function write(data: ReferenceData, decision: Decision, model: string): void {
  for (const each of decision.memories) {
    const id = 'row' in each ? each.row.memory.id : each.id
    const row = rowAfter(data.memories.get(id), each, model)
    if (row) data.memories.set(id, row)
    else data.memories.delete(id)
    const embedding = embeddingOf(each)
    // The first vector of a text is kept.
    const key = embedding && keyOf(model, embedding.hash)
    if (key && !data.vectors.has(key)) data.vectors.set(key, embedding.vector)
  }
  for (const [key, memory] of decision.once) data.once.set(key, memory)
  for (const { change } of decision.history.values()) data.changes.set(changeKey(change), change)
  for (const session of decision.sessions.values()) data.sessions.set(session.id, session)
  for (const injection of decision.injections) data.injections.set(injection.id, injection)
  for (const event of decision.events) data.events.set(event.id, event)
  for (const each of decision.documents) {
    const { collection } = each
    if (each.kind === 'remove') data.documents.delete(documentName(collection, each.key))
    else {
      const key = documentKey(collection, each.document)
      data.documents.set(documentName(collection, key), { collection, key, document: each.document })
    }
  }
}

/** A row after a write; null if it was removed. */
export function rowAfter(row: Row | undefined, write: MemoryWrite, model: string): Row | null {
  const embedding = embeddingOf(write)
  const own = embedding && { model, hash: embedding.hash }
  switch (write.kind) {
    case 'insert':
      return { ...write.row, embedding: own ?? null }
    case 'update':
      return { ...write.row, embedding: own === undefined ? row!.embedding : own }
    case 'embed':
      return { ...row!, embedding: own ?? null }
    case 'recall': {
      const { recallCount, lastRecalledAt } = write
      return { ...row!, memory: { ...row!.memory, recallCount, lastRecalledAt } }
    }
    case 'delete':
      return null
  }
}

/** The embedding that a write sets; undefined to keep the stored one. */
export function embeddingOf(write: MemoryWrite): Embedding | null | undefined {
  if (write.kind === 'embed') return write.embedding
  return 'row' in write ? write.row.embedding : undefined
}
