import { matchesFilter } from '../model/filter.ts'
import { scopeOf, selects } from '../model/layer.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import type { Change } from '../model/session.ts'
import { cacheVector, commitWrites } from './memory-commit.ts'
import { type MemoryStorageData, memoryStorageData } from './memory-data.ts'
import type { Conditions, ListQuery, Storage, StorageStats } from './storage.ts'

export interface MemoryStorageOptions {
  /** Data that other instances hold too; by default its own. See {@link memoryStorageData}. */
  shared?: MemoryStorageData
}

/**
 * The reference implementation: everything in this process, nothing on disk, each method as plain as its contract. It
 * searches neither by word nor by vector, so that the engine's own search is what runs over it.
 */
export function memoryStorage({ shared }: MemoryStorageOptions = {}): Storage {
  const data = shared ?? memoryStorageData()
  return {
    name: 'memory',
    capabilities: {
      vectorSearch: false,
      keywordSearch: false,
      bulkOperations: false,
      transactions: true,
      maxContentLength: 16_384,
    },
    async initialize() {},
    async shutdown() {},
    async ping() {},

    async commit(writes, by) {
      commitWrites(data, writes, by)
    },
    async get(ids) {
      const found = [...new Set(ids)].flatMap((id) => data.memories.get(id)?.memory ?? [])
      return structuredClone(found)
    },
    async list(query) {
      return structuredClone(listMemories(data, query))
    },
    async history(id) {
      const changes = data.changes.filter((change) => change.memory === id)
      return structuredClone(changes.sort((a, b) => a.version - b.version))
    },
    async listChanges(after, limit) {
      const start = after ?? 0
      const changes = structuredClone(data.changes.slice(start, start + limit))
      return { changes, position: changes.length < limit ? null : start + limit }
    },
    async putChanges(changes) {
      const identity = (change: Change<Memory>) => JSON.stringify([change.memory, change.version])
      const known = new Set(data.changes.map(identity))
      const fresh = changes.filter((change) => !known.has(identity(change)))
      data.changes.push(...structuredClone(fresh))
      return fresh.length
    },

    async vectors(ids, model) {
      const found = ids.flatMap((id) => {
        const embedding = data.memories.get(id)?.embedding
        return embedding?.model === model ? [[id, embedding.vector.slice()] as const] : []
      })
      return new Map(found)
    },
    async cachedVectors(hashes, model) {
      return hashes.map((hash) => data.vectors.get(model)?.get(hash)?.slice() ?? null)
    },
    async cacheVectors(entries, model) {
      for (const { hash, vector } of entries) cacheVector(data, { model, hash, vector: vector.slice() })
    },
    async withoutVector(model, after, limit) {
      const found = [...data.memories.values()]
        .filter((stored) => stored.embedding?.model !== model)
        .map((stored) => stored.memory)
        .filter((memory) => after === null || memory.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
      return structuredClone(found.slice(0, limit))
    },
    async setVectors(entries) {
      for (const { id, version, embedding } of entries) {
        const stored = data.memories.get(id)
        // Changed meanwhile: whoever changed it embeds it.
        if (stored?.memory.version !== version) continue
        stored.embedding = structuredClone(embedding)
        cacheVector(data, stored.embedding)
      }
    },

    async putSession(session) {
      data.sessions.set(session.id, structuredClone(session))
    },
    async getSession(id) {
      return structuredClone(data.sessions.get(id) ?? null)
    },
    async listSessions({ limit, before }) {
      const newestFirst = [...data.sessions.values()].reverse()
      const start = before === null ? 0 : newestFirst.findIndex((session) => session.id === before) + 1
      const known = before === null || start > 0
      const sessions = known ? newestFirst.slice(start, start + limit) : []
      return { sessions: structuredClone(sessions), totalCount: newestFirst.length }
    },
    async putDirectoryEntry(entry) {
      data.directory.set(directoryKey(entry.layer, entry.id), structuredClone(entry))
    },
    async deleteDirectoryEntry(layer, id) {
      data.directory.delete(directoryKey(layer, id))
    },
    async getDirectoryEntry(layer, id) {
      return structuredClone(data.directory.get(directoryKey(layer, id)) ?? null)
    },
    async directory() {
      return structuredClone([...data.directory.values()])
    },
    async stats() {
      return countStats(data)
    },
    async vectorCounts() {
      return countBy([...data.memories.values()], (stored) => stored.embedding?.model ?? null)
    },
  }
}

function listMemories(data: MemoryStorageData, { scopes, where, limit, after }: ListQuery) {
  const found = [...data.memories.values()]
    .map((stored) => stored.memory)
    .filter(
      ({ layer, identifiers }) => scopes?.some((selector) => selects(selector, scopeOf(layer, identifiers))) ?? true,
    )
    .filter((memory) => meets(memory, where))
    .sort(newestFirst)
  const behind = after === null ? found : found.filter((memory) => newestFirst(after, memory) < 0)
  return { memories: behind.slice(0, limit), totalCount: found.length }
}

function meets(memory: Memory, where: Conditions): boolean {
  const { tags, filter, category, service, source, session, visibleAt } = where
  return (
    (visibleAt === undefined || isVisible(memory, visibleAt)) &&
    (category === undefined || memory.category === category) &&
    (service === undefined || memory.service === service) &&
    (source === undefined || memory.source === source) &&
    (session === undefined || memory.session === session) &&
    (tags === undefined || tags.some((tag) => memory.tags.includes(tag))) &&
    (filter === undefined || matchesFilter(memory.metadata, filter))
  )
}

type Position = Pick<Memory, 'createdAt' | 'id'>

function newestFirst(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1
}

function directoryKey(layer: string, id: string): string {
  return JSON.stringify([layer, id])
}

function countStats(data: MemoryStorageData): StorageStats {
  const memories = [...data.memories.values()].map((stored) => stored.memory)
  return {
    memories: memories.length,
    active: memories.filter((memory) => memory.active).length,
    byLayer: countBy(memories, (memory) => memory.layer),
    sessions: data.sessions.size,
    sizeBytes: null,
  }
}

function countBy<Item, Key extends string>(items: readonly Item[], keyOf: (item: Item) => Key | null) {
  const counts: Partial<Record<Key, number>> = {}
  for (const item of items) {
    const key = keyOf(item)
    if (key !== null) counts[key] = (counts[key] ?? 0) + 1
  }
  return counts as Record<Key, number>
}
