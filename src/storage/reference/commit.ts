import { MemoryError } from '../../model/errors.ts'
import { scopeOf } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Change } from '../../model/records.ts'
import type { CommitOptions, Embedding, Write } from '../storage.ts'
import type { MemoryStorageData, StoredMemory } from './data.ts'

/** What a commit would change, kept apart until all of it is known to be right. */
interface Staged {
  /** null: deleted. */
  memories: Map<string, StoredMemory | null>
  changes: Change<Memory>[]
}

/** Applies all writes, or throws and applies none. */
export function commitWrites(
  data: MemoryStorageData,
  writes: readonly Write[],
  by: string,
  { skipConflicts = false, oncePerSession = false }: CommitOptions = {},
): void {
  const staged: Staged = { memories: new Map(), changes: [] }
  for (const write of writes) {
    if (oncePerSession && write.kind === 'insert') refuseRepeat(data, staged, write.memory)
    try {
      stage(data, staged, structuredClone(write), by)
    } catch (error) {
      if (!skipConflicts || write.kind !== 'update' || !MemoryError.is(error)) throw error
    }
  }
  for (const [id, stored] of staged.memories) {
    if (stored === null) data.memories.delete(id)
    else keep(data, stored)
  }
  data.changes.push(...staged.changes)
}

function refuseRepeat(data: MemoryStorageData, staged: Staged, memory: Memory): void {
  if (memory.session === null) return
  const key = wordsOf(memory)
  for (const stored of [...data.memories.values(), ...staged.memories.values()]) {
    if (stored?.memory.session !== memory.session || wordsOf(stored.memory) !== key) continue
    const { id } = stored.memory
    throw new MemoryError('CONFLICT', 'The session has said this already.', { details: { id } })
  }
}

function wordsOf({ layer, identifiers, category, service, content }: Memory): string {
  return JSON.stringify([scopeOf(layer, identifiers), category, service, content])
}

function stage(data: MemoryStorageData, staged: Staged, write: Write, by: string): void {
  const id = write.kind === 'delete' ? write.id : write.memory.id
  const current = (staged.memories.has(id) ? staged.memories.get(id) : data.memories.get(id)) ?? null
  if (write.kind === 'insert') {
    if (current) throw new MemoryError('CONFLICT', 'A memory with this id exists already.', { details: { id } })
    staged.memories.set(id, { memory: write.memory, embedding: write.embedding, decayedWeeks: 0 })
    if (!write.imported) staged.changes.push(created(write.memory, by))
  } else if (write.kind === 'update') {
    if (!current) {
      throw new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
    }
    const { version } = current.memory
    if (version !== write.memory.version - 1) {
      const message = `The memory was changed meanwhile (version ${version}).`
      throw new MemoryError('CONFLICT', message, { details: { id, version } })
    }
    const embedding = write.embedding === undefined ? current.embedding : write.embedding
    // Recalls are counted apart from changes: a change must not take them back.
    const { recallCount, lastRecalledAt, updatedAt } = current.memory
    const memory = { ...write.memory, recallCount, lastRecalledAt }
    const kept = memory.updatedAt === updatedAt ? current.decayedWeeks : 0
    staged.memories.set(id, { memory, embedding, decayedWeeks: write.decayedWeeks ?? kept })
    staged.changes.push(updated(current.memory, memory, by))
  } else if (current) {
    staged.memories.set(id, null)
    staged.changes.push(deleted(current.memory, by))
  }
}

function keep(data: MemoryStorageData, stored: StoredMemory): void {
  const { memory, embedding } = stored
  data.memories.set(memory.id, stored)
  if (embedding) cacheVector(data, embedding)
  if (memory.session !== null && !data.sessions.has(memory.session)) {
    data.sessions.set(memory.session, {
      id: memory.session,
      agent: null,
      project: null,
      tier: null,
      role: null,
      startedAt: memory.createdAt,
      endedAt: null,
      exitCode: null,
      outcome: null,
    })
  }
}

/** Remembers the vector of a text; the first one stays. */
export function cacheVector(data: MemoryStorageData, { model, hash, vector }: Embedding): void {
  const ofModel = data.vectors.get(model) ?? new Map<string, Float32Array>()
  if (!ofModel.has(hash)) ofModel.set(hash, vector)
  data.vectors.set(model, ofModel)
}

function created(memory: Memory, by: string): Change<Memory> {
  const { id, version, updatedAt } = memory
  return { memory: id, version, operation: 'create', at: updatedAt, by, before: null, after: memory }
}

function updated(before: Memory, after: Memory, by: string): Change<Memory> {
  return { memory: after.id, version: after.version, operation: 'update', at: now(), by, before, after }
}

function deleted(memory: Memory, by: string): Change<Memory> {
  const { id, version } = memory
  return { memory: id, version: version + 1, operation: 'delete', at: now(), by, before: memory, after: null }
}

function now(): string {
  return new Date().toISOString()
}
