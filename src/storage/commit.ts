import type { Memory } from '../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Collection, Documents } from './documents.ts'

/**
 * A set of writes that is applied whole or not at all.
 * - `key` makes it idempotent: when a commit with this key was applied before, nothing happens and the answer is the same
 *   as then. A store remembers at least the last 10,000 keys, or those of a day. Only applied commits are remembered.
 * - Writes are applied in order; a later one sees what an earlier one did. A memory is written at most once in a commit.
 * - Each insert, update and delete of a memory leaves one entry in its history, with `at` and `by`: the engine's clock,
 *   never the store's.
 */
export interface Commit {
  key: string
  /** ISO 8601, from the engine's clock. */
  at: string
  by: string
  writes: readonly Write[]
  /** Kept with the key, for whoever repeats the commit: what the first attempt created. */
  note?: string
}

export type Write =
  /** Fails with `exists` when the id is taken, `once` when one of its once-keys is. `imported`: its history comes apart, none is written. */
  | { kind: 'insert'; row: NewRow; once?: readonly string[]; imported?: true }
  /**
   * The stored version must be `memory.version - 1`. Fails with `missing`, `version` or `once`. Recall counters stay
   * as stored. The memory may move to another scope.
   */
  | { kind: 'update'; row: ChangedRow; once?: readonly string[] }
  /** What is not there is left alone. With `version`, the stored one must be that: `version`. */
  | { kind: 'delete'; id: string; version?: number }
  /** Gives a memory a vector, without a new version and without history. Fails with `missing` or `version`. */
  | { kind: 'embed'; id: string; version: number; embedding: Embedding }
  /** Takes once-keys in a memory's name, and changes nothing else. Those that are taken already are left alone. */
  | { kind: 'mark'; memory: string; once: readonly string[] }
  /** History from elsewhere. An entry of that memory and version that is there already is left alone. */
  | { kind: 'change'; change: Change }
  /**
   * A session as far as it is known. The first word stands: a field that is null is filled, one that is not is kept.
   * `startedAt` keeps the earlier time, and the end (`endedAt`, `exitCode`, `outcome`) is taken as one, once.
   */
  | { kind: 'session'; session: Session }
  /**
   * One memory as a session was shown it. One with this id that is there already is left alone. `recall` counts it on the
   * memory, whose `lastRecalledAt` keeps the later time.
   */
  | { kind: 'injection'; injection: Injection; recall: boolean }
  /** One with this id that is there already is left alone. */
  | { kind: 'event'; event: WorkflowEvent }
  /** Replaces the document with this key. */
  | { [Name in Collection]: { kind: 'put'; collection: Name; document: Documents[Name] } }[Collection]
  | { kind: 'remove'; collection: Collection; key: string }

/** A memory as it is stored, with what the engine derives from it for the store to look up. */
export interface NewRow {
  memory: Memory
  /** The memory is on read paths before this instant: see `visibleUntil` in the lifecycle. Empty: on none. */
  visibleUntil: string
  /** The distinct tokens under which it is found. */
  tokens: readonly string[]
  embedding: Embedding | null
}

/** `embedding` absent: the stored one stays. */
export type ChangedRow = Omit<NewRow, 'embedding'> & { embedding?: Embedding | null }

/** A vector with the text it was made of; always of the model that the store was initialized with. */
export interface Embedding {
  /** Of the text, 128 bits, in hexadecimal. */
  hash: string
  /** Of unit length. Kept at least as precisely as 16-bit floats. */
  vector: Float32Array
}

/** Why a write could not be applied. */
export type WriteFailure = 'exists' | 'missing' | 'version' | 'once'

export type CommitResult =
  /**
   * `changed`: how many writes changed something. `repeated`: a commit with this key was applied before; `changed` and `note`
   * are then those of the first.
   */
  | { applied: true; repeated: boolean; changed: number; note: string | null }
  /** Nothing was applied. Every write that stood in the way, by its place in `writes`, in order. */
  | { applied: false; failures: { write: number; reason: WriteFailure }[] }
