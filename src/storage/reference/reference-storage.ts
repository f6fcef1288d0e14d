import { isDeepStrictEqual } from 'node:util'
import { matchesFilter } from '../../model/filter.ts'
import { scopeOf, selects } from '../../model/layer.ts'
import { DECAY, isVisible, type Memory } from '../../model/memory.ts'
import type { Change } from '../../model/records.ts'
import type { Conditions, ListQuery, PurgeReport, Storage, StorageStats } from '../storage.ts'
import { cacheVector, commitWrites } from './commit.ts'
import { type MemoryStorageData, memoryStorageData } from './data.ts'

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

    async commit(writes, by, options) {
      commitWrites(data, writes, by, options)
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
    async sessionsOf(ids) {
      const wanted = new Set(ids)
      const found = new Map<string, string[]>()
      for (const { memory, by } of data.changes) {
        if (!wanted.has(memory) || !by.startsWith('session:')) continue
        found.set(memory, [...(found.get(memory) ?? []), by.slice('session:'.length)])
      }
      return found
    },
    async deletedOf(session) {
      return data.changes.flatMap(({ after, before }) =>
        after === null && before?.session === session ? [before.content] : [],
      )
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

    async listStale({ at, categories, after, limit }) {
      const byUpdate = (a: Memory, b: Memory) => compareKeys([a.updatedAt, a.id], [b.updatedAt, b.id])
      const found = [...data.memories.values()]
        .filter(({ memory, decayedWeeks }) => {
          const days = DECAY.graceDays + DECAY.stepDays * (decayedWeeks + 1)
          const due = Date.parse(memory.updatedAt) + days * DAY_MS <= Date.parse(at)
          return memory.active && due && categories.includes(memory.category)
        })
        .filter(({ memory }) => !after || compareKeys([memory.updatedAt, memory.id], [after.updatedAt, after.id]) > 0)
        .sort((a, b) => byUpdate(a.memory, b.memory))
        .slice(0, limit)
      return structuredClone(found.map(({ memory, decayedWeeks }) => ({ memory, decayedWeeks })))
    },
    async listExpired(at) {
      return [...data.memories.values()]
        .filter(({ memory }) => memory.expiresAt !== null && memory.expiresAt <= at)
        .map(({ memory }) => memory.id)
    },
    async purge(before, dryRun) {
      return purge(data, before, dryRun)
    },

    async recordInjection({ session, format, at, entries }) {
      for (const entry of entries) {
        data.injections.push({ session, format, at, ...entry })
        const stored = data.memories.get(entry.memory)
        if (!stored) continue
        const { recallCount } = stored.memory
        stored.memory = { ...stored.memory, recallCount: recallCount + 1, lastRecalledAt: at }
      }
    },
    async listInjections(session) {
      return structuredClone(data.injections.filter((injection) => injection.session === session))
    },
    async addEvent(event) {
      data.events.unshift(structuredClone(event))
    },
    async listEvents(limit) {
      return structuredClone(data.events.slice(0, limit))
    },
    async listAllEvents(after, limit) {
      const start = after ?? 0
      const events = structuredClone(data.events.toReversed().slice(start, start + limit))
      return { events, position: events.length < limit ? null : start + limit }
    },
    async putInjections(injections) {
      // Two showings of one instant may be alike: as many are kept as there were.
      const known = [...data.injections]
      const fresh = injections.filter((injection) => {
        const same = known.findIndex((each) => isDeepStrictEqual(each, injection))
        if (same >= 0) known.splice(same, 1)
        return same < 0
      })
      data.injections.push(...structuredClone(fresh))
      return fresh.length
    },
    async putEvents(events) {
      const fresh = events.filter((event) => !data.events.some((known) => isDeepStrictEqual(known, event)))
      for (const event of fresh) data.events.unshift(structuredClone(event))
      return fresh.length
    },

    async putPersonality(personality) {
      data.personalities.set(personality.agentName, structuredClone(personality))
    },
    async getPersonality(agentName) {
      return structuredClone(data.personalities.get(agentName) ?? null)
    },
    async listPersonalities() {
      const all = [...data.personalities.values()].sort((a, b) => (a.agentName < b.agentName ? -1 : 1))
      return structuredClone(all)
    },
    async deletePersonality(agentName) {
      data.personalities.delete(agentName)
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

const DAY_MS = 86_400_000

function compareKeys(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] === b[0] ? (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) : a[0] < b[0] ? -1 : 1
}

/** Inactive since its last change, or deleted, before the time given: gone with its history. */
function purge(data: MemoryStorageData, before: string, dryRun: boolean): PurgeReport {
  const last = new Map(data.changes.map((change) => [change.memory, change]))
  const gone = [...last.values()]
    .filter(({ memory, at }) => at < before && data.memories.get(memory)?.memory.active !== true)
    .map(({ memory }) => memory)
  const memories = gone.filter((id) => data.memories.has(id)).length
  const kept = data.changes.filter((change) => !gone.includes(change.memory))
  const report = { memories, changes: data.changes.length - kept.length, vectors: 0 }
  const used = new Set(
    [...data.memories].flatMap(([id, { embedding }]) => (embedding && !gone.includes(id) ? [embedding.hash] : [])),
  )
  for (const ofModel of data.vectors.values()) {
    for (const hash of [...ofModel.keys()].filter((each) => !used.has(each))) {
      report.vectors++
      if (!dryRun) ofModel.delete(hash)
    }
  }
  if (!dryRun) {
    for (const id of gone) data.memories.delete(id)
    data.changes.splice(0, Number.POSITIVE_INFINITY, ...kept)
  }
  return report
}

function listMemories(data: MemoryStorageData, { scopes, where, order = 'newest', limit, after }: ListQuery) {
  const found = [...data.memories.values()]
    .map((stored) => stored.memory)
    .filter(
      ({ layer, identifiers }) => scopes?.some((selector) => selects(selector, scopeOf(layer, identifiers))) ?? true,
    )
    .filter((memory) => meets(memory, where))
    .sort((a, b) => (order === 'newest' ? 0 : b[order] - a[order]) || newestFirst(a, b))
  const behind = after === null ? found : found.filter((memory) => newestFirst(after, memory) < 0)
  return { memories: behind.slice(0, limit), totalCount: found.length }
}

function meets(memory: Memory, where: Conditions): boolean {
  const { tags, filter, category, categories, service, source, session, taskOfSection, visibleAt } = where
  return (
    (visibleAt === undefined || isVisible(memory, visibleAt)) &&
    (category === undefined || memory.category === category) &&
    (categories === undefined || categories.includes(memory.category)) &&
    (taskOfSection === undefined || isTaskOf(memory, taskOfSection)) &&
    (service === undefined || memory.service === service) &&
    (source === undefined || memory.source === source) &&
    (session === undefined || memory.session === session) &&
    (tags === undefined || tags.some((tag) => memory.tags.includes(tag))) &&
    (filter === undefined || matchesFilter(memory.metadata, filter))
  )
}

function isTaskOf(
  { layer, identifiers }: Memory,
  { sectionId, projectId }: NonNullable<Conditions['taskOfSection']>,
): boolean {
  return layer === 'task' && identifiers.sectionId === sectionId && (identifiers.projectId ?? null) === projectId
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
