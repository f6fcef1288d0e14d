import type { Layer } from '../../model/layer.ts'
import { keyOf } from '../decide.ts'
import type { PruneReport, PruneTimes, PurgeReport, StorageStats } from '../upkeep.ts'
import type { ReferenceData } from './data.ts'

/** Counts on every call; a store for more data keeps counters. */
export function countStats(data: ReferenceData): StorageStats {
  const rows = [...data.memories.values()]
  const byLayer: Partial<Record<Layer, number>> = {}
  for (const { memory } of rows) byLayer[memory.layer] = (byLayer[memory.layer] ?? 0) + 1
  return {
    memories: rows.length,
    active: rows.filter(({ memory }) => memory.active).length,
    byLayer,
    sessions: data.sessions.size,
    models: [...new Set(rows.flatMap(({ embedding }) => (embedding ? [embedding.model] : [])))].sort(),
    sizeBytes: null,
  }
}

/** Deletes memories that have been inactive or deleted since before this time, with everything that refers to them. */
export function purge(data: ReferenceData, before: string, dryRun: boolean): PurgeReport {
  const lastChange = new Map([...data.memories].map(([id, { memory }]) => [id, memory.updatedAt]))
  const changedAt = new Map<string, string>()
  for (const { memory, at } of data.changes.values()) {
    if (at > (changedAt.get(memory) ?? '')) changedAt.set(memory, at)
  }
  // An imported memory may have no history, so its own time is used.
  for (const [id, at] of changedAt) lastChange.set(id, at)
  const gone = new Set(
    [...lastChange].flatMap(([id, at]) => (at < before && !data.memories.get(id)?.memory.active ? [id] : [])),
  )
  const used = new Set(
    [...data.memories.values()].flatMap(({ memory, embedding }) =>
      embedding && !gone.has(memory.id) ? [keyOf(embedding.model, embedding.hash)] : [],
    ),
  )
  const removals = {
    memories: keysOf(data.memories, ({ memory }) => gone.has(memory.id)),
    changes: keysOf(data.changes, ({ memory }) => gone.has(memory)),
    injections: keysOf(data.injections, ({ memory }) => gone.has(memory)),
    once: keysOf(data.once, (memory) => gone.has(memory)),
    vectors: [...data.vectors.keys()].filter((key) => !used.has(key)),
  }
  if (!dryRun) {
    for (const [name, keys] of Object.entries(removals)) {
      for (const key of keys) data[name as keyof typeof removals].delete(key)
    }
  }
  return {
    memories: removals.memories.length,
    changes: removals.changes.length,
    vectors: removals.vectors.length,
    erased: true,
    remains: null,
  }
}

export function prune(data: ReferenceData, before: PruneTimes, dryRun: boolean): PruneReport {
  const isBefore = (at: string, limit: string | null) => limit !== null && at < limit
  const sessions = keysOf(data.sessions, ({ startedAt }) => isBefore(startedAt, before.sessions))
  const gone = new Set(sessions)
  const isGone = (session: string | null) => session !== null && gone.has(session)
  const removals = {
    sessions,
    events: keysOf(data.events, ({ at, session }) => isBefore(at, before.events) || isGone(session)),
    injections: keysOf(data.injections, ({ at, session }) => isBefore(at, before.showings) || isGone(session)),
  }
  if (!dryRun) {
    for (const [name, keys] of Object.entries(removals)) {
      for (const key of keys) data[name as keyof typeof removals].delete(key)
    }
  }
  return { sessions: sessions.length, events: removals.events.length, showings: removals.injections.length }
}

function keysOf<Value>(map: ReadonlyMap<string, Value>, matches: (value: Value) => boolean): string[] {
  return [...map].flatMap(([key, value]) => (matches(value) ? [key] : []))
}
