import type { FilterTest } from '../model/filter.ts'
import type { Identifiers, Layer, ScopeSelector } from '../model/layer.ts'
import type { Category, JsonObject, Memory, Source } from '../model/memory.ts'
import type { Personality } from '../model/personality.ts'
import type { Capabilities } from '../model/provider.ts'
import type { Change, DirectoryEntry, Session } from '../model/session.ts'

/**
 * What a backend writes. It keeps and finds; it neither embeds nor scores: the engine does both, once, for all backends.
 * A new backend is one folder that implements this and passes `storageConformance` from `nokosu/testing`.
 */
export interface Storage {
  readonly name: string
  readonly capabilities: StorageCapabilities
  /** Connects and brings the schema up to date. Safe to call from many processes at once. */
  initialize(): Promise<void>
  shutdown(): Promise<void>
  /** Resolves when the store answers. */
  ping(): Promise<void>

  /** Applies all writes or none, durably, with a history entry each. A stale version or taken id is a CONFLICT. */
  commit(writes: readonly Write[], by: string, options?: CommitOptions): Promise<void>
  /** The memories with these ids, in any order; unknown ids are left out. */
  get(ids: readonly string[]): Promise<Memory[]>
  /** Newest first by (createdAt, id). */
  list(query: ListQuery): Promise<{ memories: Memory[]; totalCount: number }>
  history(id: string): Promise<Change<Memory>[]>
  /** The whole history in the order it happened, a part at a time: start behind `after`, a position from the part before. */
  listChanges(after: number | null, limit: number): Promise<{ changes: Change<Memory>[]; position: number | null }>
  /** The sessions that created or changed each of these memories (`session:ID` in the history), by memory id. */
  sessionsOf(ids: readonly string[]): Promise<Map<string, string[]>>
  /** Contents, as they last were, of the memories this session produced that have been deleted since. */
  deletedOf(session: string): Promise<string[]>
  /** History from elsewhere. An entry that is there already is left alone. Returns how many were new. */
  putChanges(changes: readonly Change<Memory>[]): Promise<number>

  /** Present exactly when `capabilities.keywordSearch`. Best matches first. */
  searchKeyword?(query: KeywordQuery): Promise<KeywordMatches>
  /** Present exactly when `capabilities.vectorSearch`. Nearest first, exact cosine. */
  searchVector?(query: VectorQuery): Promise<VectorMatch[]>
  /** Stored vectors of this model, by memory id. */
  vectors(ids: readonly string[], model: string): Promise<Map<string, Float32Array>>
  /** Vectors of texts seen before, by content hash, in order. */
  cachedVectors(hashes: readonly string[], model: string): Promise<(Float32Array | null)[]>
  cacheVectors(entries: readonly { hash: string; vector: Float32Array }[], model: string): Promise<void>
  /** Memories that have no vector of this model, oldest first, after the given id. */
  withoutVector(model: string, after: string | null, limit: number): Promise<Memory[]>
  setVectors(entries: readonly { id: string; version: number; embedding: Embedding }[]): Promise<void>

  /**
   * Active memories of these categories that are due for decay at this time: `DECAY` days of grace and of weeks already taken, and one
   * week more, have passed since `updatedAt`. Oldest update first, then by id, behind `after`.
   */
  listStale(query: StaleQuery): Promise<Stale[]>
  /** Ids of the memories that have expired. */
  listExpired(at: string): Promise<string[]>
  /** Removes for good, with their history, what has been inactive or deleted since before this time. */
  purge(before: string, dryRun: boolean): Promise<PurgeReport>

  /** Records what a session was shown, and counts it as recalled, in one transaction. */
  recordInjection(injection: InjectionRecord): Promise<void>
  /** In the order shown. */
  listInjections(session: string): Promise<Injection[]>
  addEvent(event: WorkflowRecord): Promise<void>
  /** Newest first. */
  listEvents(limit: number): Promise<WorkflowRecord[]>
  /** All events in the order they happened, a part at a time, as `listChanges` does. */
  listAllEvents(after: number | null, limit: number): Promise<{ events: WorkflowRecord[]; position: number | null }>
  /** Showings from elsewhere: not counted as recalls, and one that is there already is left alone. Returns how many were new. */
  putInjections(injections: readonly Injection[]): Promise<number>
  /** Events from elsewhere. One that is there already is left alone. Returns how many were new. */
  putEvents(events: readonly WorkflowRecord[]): Promise<number>

  putPersonality(personality: Personality): Promise<void>
  getPersonality(agentName: string): Promise<Personality | null>
  /** By agent name. */
  listPersonalities(): Promise<Personality[]>
  /** Idempotent. */
  deletePersonality(agentName: string): Promise<void>

  putSession(session: Session): Promise<void>
  getSession(id: string): Promise<Session | null>
  /** Newest first. */
  listSessions(query: { limit: number; before: string | null }): Promise<{ sessions: Session[]; totalCount: number }>
  putDirectoryEntry(entry: DirectoryEntry): Promise<void>
  deleteDirectoryEntry(layer: DirectoryEntry['layer'], id: string): Promise<void>
  getDirectoryEntry(layer: DirectoryEntry['layer'], id: string): Promise<DirectoryEntry | null>
  directory(): Promise<DirectoryEntry[]>
  stats(): Promise<StorageStats>
  /** How many memories have a vector of each model. */
  vectorCounts(): Promise<Record<string, number>>
}

export type StorageCapabilities = Omit<Capabilities, 'embeddingDimensions' | 'distanceMetrics'>

/** A vector with what it was made from and by. */
export interface Embedding {
  model: string
  hash: string
  vector: Float32Array
}

export type Write =
  /** `imported`: its history comes with it (`putChanges`), so none is written here. */
  | { kind: 'insert'; memory: Memory; embedding: Embedding | null; imported?: boolean }
  /** `embedding` absent: the stored one stays. `decayedWeeks` absent: none, since an update makes young again. The stored version must be `memory.version - 1`. */
  | { kind: 'update'; memory: Memory; embedding?: Embedding | null; decayedWeeks?: number }
  | { kind: 'delete'; id: string }

export interface CommitOptions {
  /** Leaves out updates of memories that changed or went meanwhile, instead of failing. */
  skipConflicts?: boolean
  /** An insert is a CONFLICT when its session has left the same words in the same scope, category and service already. */
  oncePerSession?: boolean
}

export interface StaleQuery {
  at: string
  categories: readonly Category[]
  after: { updatedAt: string; id: string } | null
  limit: number
}

export interface Stale {
  memory: Memory
  /** Whole weeks of decay already taken since `updatedAt`. */
  decayedWeeks: number
}

export interface PurgeReport {
  memories: number
  changes: number
  /** Vectors of texts that no memory holds any more. */
  vectors: number
}

/** One memory as a session was shown it. */
export interface Injection {
  session: string
  memory: string
  /** Counted from 0, over one showing. */
  position: number
  tokens: number
  format: string
  at: string
}

export interface InjectionRecord extends Pick<Injection, 'session' | 'format' | 'at'> {
  entries: readonly Pick<Injection, 'memory' | 'position' | 'tokens'>[]
}

/** Something that happened in a workflow. */
export interface WorkflowRecord {
  at: string
  type: string
  session: string | null
  identifiers: Identifiers
  data: JsonObject
}

/** Conditions on a memory besides its scope. All that are given must hold. */
export interface Conditions {
  tags?: readonly string[]
  filter?: readonly FilterTest[]
  category?: Category
  categories?: readonly Category[]
  service?: string | null
  source?: Source
  session?: string
  /** Memories of the tasks of this section. */
  taskOfSection?: { sectionId: string; projectId: string | null }
  /** Only active memories that have not expired at this instant; absent: all. */
  visibleAt?: Date
}

export interface ListQuery {
  /** Any of these; null is the whole store. */
  scopes: readonly ScopeSelector[] | null
  where: Conditions
  /** Default: newest. The others put the greatest first, then the newest, and cannot start behind a position. */
  order?: 'newest' | 'confidence' | 'importance'
  limit: number
  /** Start behind this position. */
  after: { createdAt: string; id: string } | null
  /** Whether `totalCount` is wanted: counting may cost more than the page. Default: true; without, it is 0. */
  count?: boolean
}

export interface KeywordQuery {
  scope: ScopeSelector
  /** Words or phrases as the user wrote them; any may match. Syntax in them is text. */
  terms: readonly string[]
  where: Conditions
  limit: number
}

export interface KeywordMatches {
  memories: Memory[]
  /** Of the whole store, for weighing rare terms above common ones. */
  documentCount: number
  /** In how many memories each term occurs, in the order of the terms. */
  frequencies: number[]
}

export interface VectorQuery {
  scope: ScopeSelector
  vector: Float32Array
  model: string
  where: Conditions
  limit: number
}

export interface VectorMatch {
  memory: Memory
  cosine: number
  vector: Float32Array
}

export interface StorageStats {
  memories: number
  active: number
  byLayer: Partial<Record<Layer, number>>
  sessions: number
  sizeBytes: number | null
}
