import type { Memory } from '../../model/memory.ts'
import type { Personality } from '../../model/personality.ts'
import type { Change, DirectoryEntry, Session } from '../../model/records.ts'
import type { Embedding, Injection, WorkflowRecord } from '../storage.ts'

export interface StoredMemory {
  memory: Memory
  embedding: Embedding | null
  decayedWeeks: number
}

/** Everything a `memoryStorage` holds. Give one to several instances and they share it, as processes share a file. */
export interface MemoryStorageData {
  readonly memories: Map<string, StoredMemory>
  /** The history in the order it happened. Outlives the memories. */
  readonly changes: Change<Memory>[]
  /** By model, then by content hash. */
  readonly vectors: Map<string, Map<string, Float32Array>>
  /** In the order they were first heard of. */
  readonly sessions: Map<string, Session>
  readonly injections: Injection[]
  /** Newest first. */
  readonly events: WorkflowRecord[]
  /** By agent name. */
  readonly personalities: Map<string, Personality>
  /** By layer and id. */
  readonly directory: Map<string, DirectoryEntry>
}

/** An empty store. */
export function memoryStorageData(): MemoryStorageData {
  return {
    memories: new Map(),
    changes: [],
    vectors: new Map(),
    sessions: new Map(),
    injections: [],
    events: [],
    personalities: new Map(),
    directory: new Map(),
  }
}
