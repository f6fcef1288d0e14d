import type { CachedEmbedder } from '../embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Logger } from '../observe/log.ts'
import type { Embedding, Storage } from '../storage/storage.ts'

/** Limits of what is kept and shown; the `memory` block of the configuration. */
export interface MemorySettings {
  enabled: boolean
  projectRetention: number
  sectionRetention: number
  taskRetention: number
  maxKeep: number
  maxSummaryLength: number
  includeHintsFromOutputs: boolean
}

export const DEFAULT_SETTINGS: MemorySettings = {
  enabled: true,
  projectRetention: 30,
  sectionRetention: 20,
  taskRetention: 12,
  maxKeep: 1200,
  maxSummaryLength: 800,
  includeHintsFromOutputs: false,
}

/** What every operation of the engine works with. */
export interface Core {
  storage: Storage
  provider: EmbeddingProvider
  embedder: CachedEmbedder
  settings: MemorySettings
  /** Tokens of a block of memories in a prompt. */
  budget: number
  /** Who is writing, for the history. */
  actor: string
  log: Logger
  now(): Date
  nextId(at: Date): string
  /** Runs work again where it failed for a moment. */
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** Adds the team, org and company that the directory knows. */
  complete(identifiers: Identifiers): Promise<Identifiers>
}

/** Vectors of the texts, from the cache where they were seen before. */
export async function embedTexts(
  { embedder, provider }: Core,
  texts: readonly string[],
): Promise<(Embedding & { generated: boolean })[]> {
  return (await embedder.embed(texts)).map((embedded) => ({ ...embedded, model: provider.name }))
}

export function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never
}
