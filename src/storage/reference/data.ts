import type { Memory } from '../../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { Collection, Documents } from '../documents.ts'

export interface Row {
  memory: Memory
  visibleUntil: string
  tokens: readonly string[]
  /** The model and the hash of the text; the vector itself is in `vectors`. */
  embedding: { model: string; hash: string } | null
}

/** The data of a `referenceStorage`. Several handles can share it, as processes share a file. */
export interface ReferenceData {
  readonly memories: Map<string, Row>
  /** By memory and version: see `changeKey`. */
  readonly changes: Map<string, Change>
  /** By model and content hash. A vector is kept until `purge` finds it unused. */
  readonly vectors: Map<string, Float32Array>
  readonly sessions: Map<string, Session>
  readonly injections: Map<string, Injection>
  readonly events: Map<string, WorkflowEvent>
  /** See `documentName`. */
  readonly documents: Map<string, { collection: Collection; key: string; document: Documents[Collection] }>
  /** Once-keys that are taken, each with its memory. */
  readonly once: Map<string, string>
  /** Keys of applied commits, each with its answer. */
  readonly commits: Map<string, { changed: number; note: string | null }>
}

export function referenceData(): ReferenceData {
  return {
    memories: new Map(),
    changes: new Map(),
    vectors: new Map(),
    sessions: new Map(),
    injections: new Map(),
    events: new Map(),
    documents: new Map(),
    once: new Map(),
    commits: new Map(),
  }
}
