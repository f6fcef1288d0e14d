import type { CachedEmbedder } from '../embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { PoisonModel } from '../guard/poison-model.ts'
import type { RelationModel } from '../lifecycle/relate/relation-model.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Logger } from '../observe/log.ts'
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
  /** Tells how two texts relate; null: by their words alone. */
  relations: RelationModel | null
  /** Recognises poisons by their meaning; null: by words alone. */
  poisons: PoisonModel | null
  /** What the guard's model says of a content, where there is one. */
  judge: Judge
  settings: MemorySettings
  budget: number
  sessions: SessionStates
  log: Logger
  /** An agent's run has opened it: nothing that is said here is an operator's word. */
  insideRun: boolean
  now(): Date
  backoffs(): Backoff[]
  nextId(at: Date): string
  attempt<T>(work: () => Promise<T>): Promise<T>
  write<T>(work: (signal?: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  complete(identifiers: Identifiers): Promise<Identifiers>
}

/** Who calls: their identifiers when they are known, and their name in the history. */
export interface Caller {
  /** null: not known; each call says for whom it is made. */
  identifiers: Identifiers | null
  /** A call that does not say for whom it is made is made for the whole store. */
  everything?: true
  by: string
  /** What its changes have to lie within; none: whatever it may read. */
  within?: Identifiers
  /** Whoever let it in knows whether what is held for review is for it; absent: its identifiers say so. */
  seesHeld?: boolean
  /** Whoever let it in knows whether it is an agent; absent: its identifiers say so. */
  agent?: boolean
  /** It has shown nothing of who it is: it reads and adds, and changes or removes nothing. */
  anonymous?: true
  /** It was given its name by whoever let it in: a session that it names stands beside that name, not in its place. */
  named?: true
}

/** Vectors of what is to be stored, from the store where it has them; and whether the model had to be asked. */
export async function embedMemories(
  { embedder }: Core,
  memories: readonly Parameters<typeof embeddedText>[0][],
): Promise<{ embedding: Embedding; generated: boolean }[]> {
  const embedded = await embedder.embed(memories.map(embeddedText))
  return embedded.map(({ hash, vector, generated }) => ({ embedding: { hash, vector }, generated }))
}
