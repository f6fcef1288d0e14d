import type { CachedEmbedder } from '../embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { PoisonModel } from '../guard/poison-model.ts'
import type { RelationModel } from '../lifecycle/relate/relation-model.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Logger } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Embedding } from '../storage/commit.ts'
import type { Storage } from '../storage/storage.ts'
import { embeddedText } from '../text/embedded-text.ts'
import type { Backoff } from './backoffs.ts'
import type { Judge } from './guard-input.ts'
import type { SessionStates } from './session-states.ts'
import type { MemorySettings } from './settings.ts'

export interface Core {
  storage: Storage
  model: EmbeddingProvider
  embedder: CachedEmbedder
  /** Tells how two texts relate; null: only their words are compared. */
  relations: RelationModel | null
  /** Recognizes poisons by meaning; null: by words only. */
  poisons: PoisonModel | null
  /** The guard model's verdict on a content, if there is a model. */
  judge: Judge
  metrics: Metrics
  settings: MemorySettings
  budget: number
  sessions: SessionStates
  log: Logger
  /** Opened by an agent's run: nothing said here counts as an operator's word. */
  insideRun: boolean
  now(): Date
  backoffs(): Backoff[]
  nextId(at: Date): string
  attempt<T>(work: () => Promise<T>): Promise<T>
  write<T>(work: (signal?: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  complete(identifiers: Identifiers): Promise<Identifiers>
}

/** The caller: its identifiers if known, and its name for the history. */
export interface Caller {
  /** null: unknown; each call names the owner. */
  identifiers: Identifiers | null
  /** A call that names no owner applies to the whole store. */
  everything?: true
  by: string
  /** The bound for its changes; none: whatever it may read. */
  within?: Identifiers
  /** Set by code that authenticated the caller: whether it sees held memories. Absent: its identifiers decide. */
  seesHeld?: boolean
  /** Set by code that authenticated the caller: whether it is an agent. Absent: its identifiers decide. */
  agent?: boolean
  /** Unauthenticated: it reads and adds, and changes or removes nothing. */
  anonymous?: true
  /** Its name was assigned when it was authenticated: a session that it claims is added to the name, and does not replace it. */
  named?: true
}

/** Vectors for texts to be stored, reused from the store if possible; and whether the model was needed. */
export async function embedMemories(
  { embedder }: Core,
  memories: readonly Parameters<typeof embeddedText>[0][],
): Promise<{ embedding: Embedding; generated: boolean }[]> {
  const embedded = await embedder.embed(memories.map(embeddedText))
  return embedded.map(({ hash, vector, generated }) => ({ embedding: { hash, vector }, generated }))
}
