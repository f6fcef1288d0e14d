import type { Page } from '../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Capabilities } from './capabilities.ts'
import type { Commit, CommitResult } from './commit.ts'
import type { Collection, Documents } from './documents.ts'
import type { MemoryPage, MemoryQuery, StoredMemory } from './memory-query.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from './record-query.ts'
import type { Found, SearchQuery } from './search-query.ts'
import type { Tally, TallyQuery } from './tally.ts'
import type { PurgeReport, StorageStats } from './upkeep.ts'

/** The model whose vectors a store keeps and compares. Vectors of two names are never compared. */
export interface VectorModel {
  name: string
  dimensions: number
}

/**
 * What a backend writes. It keeps and finds; it neither reads a clock, nor makes ids, tokens or vectors, nor scores: the
 * engine does all of that, once, for all backends. docs/storage.md says how each method maps to SQLite, PostgreSQL and
 * DynamoDB; `storageConformance` from `nokosu/testing` holds a backend to every promise made here.
 */
export interface Storage {
  readonly name: string
  readonly capabilities: Capabilities

  /** Connects and brings the schema up to date. Many processes may do this at once. Vectors of `model` are the ones compared. */
  initialize(model: VectorModel): Promise<void>
  /** Final: every later call fails with PROVIDER_ERROR, not retryable. Idempotent. */
  shutdown(): Promise<void>
  /** Resolves when the store answers. */
  ping(): Promise<void>

  /**
   * Applies all writes or none, durably. See {@link Commit}. A commit that still waits for its turn may give up when `signal` is aborted,
   * with the signal's reason; one that has begun ends as if there were none.
   */
  commit(commit: Commit, signal?: AbortSignal): Promise<CommitResult>
  /** Which of these once-keys a commit has taken. */
  known(keys: readonly string[]): Promise<Set<string>>

  /** The memories with these ids, in any order, each once; unknown ids are left out. */
  get(ids: readonly string[]): Promise<StoredMemory[]>
  /** A page of memories of some scopes, or of the whole store. */
  memories(query: MemoryQuery): Promise<MemoryPage>
  /** Candidates by vector and by token, for several questions at once; an answer for each, in order. */
  search(queries: readonly SearchQuery[]): Promise<Found[]>
  /** Vectors of the current model for texts that memories hold, by content hash; unknown hashes are left out. */
  embeddings(hashes: readonly string[]): Promise<Map<string, Float32Array>>

  /** Of one memory in the order of its versions; of the whole store in any order that stays the same. */
  changes(query: ChangeQuery): Promise<Page<Change>>
  /** Newest first: by `startedAt`, then by id. */
  sessions(query: SessionQuery): Promise<Page<Session>>
  /** In the order shown: by `at`, then position, then id. */
  injections(query: InjectionQuery): Promise<Page<Injection>>
  /** Newest first: by `at`, then by id. */
  events(query: EventQuery): Promise<Page<WorkflowEvent>>
  /** All documents of a collection, or those with these keys, by key. */
  documents<Name extends Collection>(collection: Name, keys?: readonly string[]): Promise<Documents[Name][]>

  /** From counters that commits keep: never by reading the memories. */
  stats(): Promise<StorageStats>
  /** What some scopes hold, in figures: one answer, and no memory leaves the store. */
  tally(query: TallyQuery): Promise<Tally>
  /** Removes for good, with history, once-keys and showings, what has been inactive or deleted since before this time. */
  purge(options: { before: string; dryRun: boolean }): Promise<PurgeReport>

  /**
   * Calls `changed` soon after anybody has written, in whatever process; returns what ends that. It may miss one now and then, so
   * whoever has to know looks from time to time all the same. Absent: the store does not tell.
   */
  follow?(changed: () => void): Promise<() => Promise<void>>
}
