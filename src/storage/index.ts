/** The storage contract, for authors of a backend, and the registry of store URLs. */

export type { Page } from '../model/page.ts'
export type { Personality, PersonalityInput } from '../model/personality.ts'
export type { AccessToken, Change, DirectoryEntry, Injection, Session, WorkflowEvent } from '../model/records.ts'
export type { Capabilities } from './capabilities.ts'
export type { ChangedRow, Commit, CommitResult, Embedding, NewRow, Write, WriteFailure } from './commit.ts'
export type { Conditions } from './conditions.ts'
export type { Collection, Documents } from './documents.ts'
export type { MemoryOrder, MemoryPage, MemoryQuery, StoredMemory } from './memory-query.ts'
export type {
  ChangeQuery,
  EventQuery,
  EventSelector,
  InjectionQuery,
  SessionQuery,
  SessionSelector,
} from './record-query.ts'
export type { Found, SearchQuery } from './search-query.ts'
export type { Storage, VectorModel } from './storage.ts'
export { registerStore, type StoreOpener } from './store-registry.ts'
export type { PurgeReport, StorageStats } from './upkeep.ts'
