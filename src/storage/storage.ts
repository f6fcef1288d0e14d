import type { Page } from '../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Capabilities } from './capabilities.ts'
import type { Commit, CommitResult } from './commit.ts'
import type { Collection, Documents } from './documents.ts'
import type { MemoryPage, MemoryQuery, StoredMemory } from './memory-query.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from './record-query.ts'
import type { Found, SearchQuery } from './search-query.ts'
import type { Tally, TallyQuery } from './tally.ts'
import type { PruneReport, PruneTimes, PurgeReport, StorageStats, UpgradeOptions } from './upkeep.ts'

/** The model whose vectors a store keeps and compares. Vectors of different models are never compared. */
export interface VectorModel {
  name: string
  dimensions: number
}

/**
 * What a backend implements. It stores and finds; the engine handles clock, ids, tokens, vectors and scores, once for
 * all backends. docs/storage.md shows how each method maps to SQLite, PostgreSQL and DynamoDB; `storageConformance`
 * from `nokosu/testing` checks every promise made here.
 */
export interface Storage {
  readonly name: string
  readonly capabilities: Capabilities

  /**
   * Connects, and creates the schema in an empty store. Safe to call from several processes at once. Vectors of `model`
   * are the ones compared. Never changes the existing schema of a store that several machines share.
   */
  initialize(model: VectorModel): Promise<void>
  /** Final: later calls fail with PROVIDER_ERROR, not retryable. Idempotent. */
  shutdown(): Promise<void>
  /** Resolves if the store answers, with a schema that this version knows. */
  ping(): Promise<void>

  /**
   * Applies all writes or none, durably. See {@link Commit}. A commit that is still waiting may stop when `signal` is
   * aborted, with the signal's reason; once begun, it ignores the signal.
   */
  commit(commit: Commit, signal?: AbortSignal): Promise<CommitResult>
  /** Which of these once-keys are taken. */
  known(keys: readonly string[]): Promise<Set<string>>

  /** The memories with these ids, in any order, without duplicates; unknown ids are left out. */
  get(ids: readonly string[]): Promise<StoredMemory[]>
  /** A page of memories of some scopes, or of the whole store. */
  memories(query: MemoryQuery): Promise<MemoryPage>
  /** Candidates by vector and by token for several queries at once; one answer per query, in order. */
  search(queries: readonly SearchQuery[]): Promise<Found[]>
  /** Vectors of the current model for stored texts, by content hash; unknown hashes are left out. */
  embeddings(hashes: readonly string[]): Promise<Map<string, Float32Array>>

  /** By version for one memory; in any stable order for several, or for the whole store. */
  changes(query: ChangeQuery): Promise<Page<Change>>
  /** Newest first: by `startedAt`, then by id. */
  sessions(query: SessionQuery): Promise<Page<Session>>
  /** In the order shown: by `at`, then position, then id. */
  injections(query: InjectionQuery): Promise<Page<Injection>>
  /** Newest first: by `at`, then by id. */
  events(query: EventQuery): Promise<Page<WorkflowEvent>>
  /** All documents of a collection, or those with these keys, by key. */
  documents<Name extends Collection>(collection: Name, keys?: readonly string[]): Promise<Documents[Name][]>

  /** From counters that commits maintain, never by reading the memories. */
  stats(): Promise<StorageStats>
  /** Figures about some scopes, in one answer without the memories. */
  tally(query: TallyQuery): Promise<Tally>
  /**
   * Permanently deletes memories that have been inactive or deleted since before this time, with their history,
   * once-keys and showings.
   */
  purge(options: { before: string; dryRun: boolean }): Promise<PurgeReport>
  /**
   * Permanently deletes records from before a time: sessions by `startedAt`, each with all its events and showings, and
   * events and showings by `at`. Memories keep the id of their session. Can be repeated after a failure.
   */
  prune(options: PruneTimes & { dryRun: boolean }): Promise<PruneReport>

  /**
   * Changes the schema to this version's, while the previous version works on. Called before `initialize`. Returns the
   * steps that it took. Absent if `initialize` does it, because only one machine uses the store.
   */
  upgrade?(options: UpgradeOptions): Promise<string[]>
  /**
   * Builds or drops indexes, as the memories stored now need them, while others use the store. May take minutes; can be
   * repeated after a failure. Returns what was done, or with `dryRun` would be. Absent if a store has nothing to tend.
   */
  tend?(options: { dryRun: boolean; signal?: AbortSignal | undefined }): Promise<string[]>

  /**
   * What is wrong with the index that the store keeps in another service; null if nothing is. Absent if it has none.
   */
  indexProblem?(): Promise<string | null>

  /**
   * Calls `changed` soon after a write by any process; returns an unsubscribe function. It may miss a write, so callers
   * must also poll. Absent if the store cannot notify.
   */
  follow?(changed: () => void): Promise<() => Promise<void>>
  /** Its connections by state (`used`, `idle`, `waiting`: requests for one). Absent if it has no pool. */
  pool?(): Readonly<Record<string, number>>
}
