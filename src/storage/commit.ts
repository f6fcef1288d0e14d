import type { Memory } from '../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Collection, Documents } from './documents.ts'

/**
 * A set of writes that is applied all or nothing.
 * - `key` makes it idempotent: if a commit with this key was applied before, nothing happens and the answer is the
 * earlier one. A store remembers at least the last 10,000 keys, or those of one day. Only applied commits are
 * remembered.
 * - Writes are applied in order; later writes see the effect of earlier ones. A commit writes a memory at most once.
 * - Each insert, update and delete of a memory adds one entry to its history, with `at` and `by`. The time comes from
 * the engine's clock, never the store's.
 */
export interface Commit {
  key: string
  /** ISO 8601, from the engine's clock. */
  at: string
  by: string
  writes: readonly Write[]
  /** Stored with the key and returned when the commit is repeated: what the first attempt created. */
  note?: string
}

export type Write =
  /**
   * Fails with `exists` if the id is taken, with `once` if one of its once-keys is. `imported`: its history is imported
   * separately, so none is written.
   */
  | { kind: 'insert'; row: NewRow; once?: readonly string[]; imported?: true }
  /**
   * The stored version must be `memory.version - 1`. Fails with `missing`, `version` or `once`. Recall counters stay
   * as stored. The memory may move to another scope.
   */
  | { kind: 'update'; row: ChangedRow; once?: readonly string[] }
  /**
   * Ignored if the memory does not exist. With `version`, the stored version must match, else it fails with `version`.
   */
  | { kind: 'delete'; id: string; version?: number }
  /** Adds a vector to a memory, without a new version or history entry. Fails with `missing` or `version`. */
  | { kind: 'embed'; id: string; version: number; embedding: Embedding }
  /** Takes once-keys in a memory's name and changes nothing else. Keys that are already taken are skipped. */
  | { kind: 'mark'; memory: string; once: readonly string[] }
  /** An imported history entry. Ignored if the memory already has an entry for this version. */
  | { kind: 'change'; change: Change }
  /**
   * Merges a session: the first value wins, so a null field is filled and any other is kept. `startedAt` keeps the
   * earlier time. The end (`endedAt`, `exitCode`, `outcome`) is set as a whole, once.
   */
  | { kind: 'session'; session: Session }
  /**
   * One memory shown to a session. Ignored if the id already exists. `recall` also counts it on the memory, whose
   * `lastRecalledAt` keeps the later time.
   */
  | { kind: 'injection'; injection: Injection; recall: boolean }
  /** Ignored if the id already exists. */
  | { kind: 'event'; event: WorkflowEvent }
  /** Replaces the document with this key. */
  | { [Name in Collection]: { kind: 'put'; collection: Name; document: Documents[Name] } }[Collection]
  | { kind: 'remove'; collection: Collection; key: string }

/** A memory in stored form, with the values the engine derives for the store's indexes. */
export interface NewRow {
  memory: Memory
  /** Reads show the memory before this time: see `visibleUntil` in the lifecycle. Empty: never shown. */
  visibleUntil: string
  /** The distinct tokens it is indexed by. */
  tokens: readonly string[]
  embedding: Embedding | null
}

/** Without `embedding`, the stored one is kept. */
export type ChangedRow = Omit<NewRow, 'embedding'> & { embedding?: Embedding | null }

/** A vector and the hash of its text; always of the model the store was initialized with. */
export interface Embedding {
  /** Hash of the text, 128 bits, in hex. */
  hash: string
  /** Unit length. Stored with at least 16-bit float precision. */
  vector: Float32Array
}

/** Why a write could not be applied. */
export type WriteFailure = 'exists' | 'missing' | 'version' | 'once'

export type CommitResult =
  /**
   * `changed`: how many writes changed something. `repeated`: a commit with this key was applied before, and `changed`
   * and `note` are the first one's.
   */
  | { applied: true; repeated: boolean; changed: number; note: string | null }
  /** Nothing was applied. Lists every failed write by its index in `writes`, in order. */
  | { applied: false; failures: { write: number; reason: WriteFailure }[] }
