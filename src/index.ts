/** Nokosu as a library. Everything public is named here or in a subpath of its own. */

export type { CaptureFormat } from './capture/capture.ts'
export type { WorkflowEventInput } from './capture/workflow-events.ts'
export type { NokosuConfig } from './config/config-schema.ts'
export type { EmbeddingConfig } from './embedding/open-embedding.ts'
export type { EmbeddingProvider } from './embedding/provider.ts'
export type { CaptureReport, CaptureRequest } from './engine/capture.ts'
export type { Context, ContextFormat, ContextRequest } from './engine/context.ts'
export {
  type AgentMemoryInput,
  buildMemoryContext,
  bumpMemoryRecall,
  createAgentMemory,
  dedupeRecentMemory,
  getMemoriesForTaskContext,
  getRelevantMemories,
  pruneMemoriesForScope,
  type TaskReference,
} from './engine/named-helpers.ts'
export type { Directory, Nokosu, Operations, OwnMemories } from './engine/nokosu.ts'
export { type MemoryOptions, openMemory } from './engine/open-memory.ts'
export type { Personalities } from './engine/personalities.ts'
export type { RememberTarget } from './engine/remember/target.ts'
export type { ReviewDecision } from './engine/review.ts'
export { schemas } from './engine/schemas.ts'
export type { SessionEnd, SessionStart, Showing } from './engine/sessions.ts'
export type { MemorySettings } from './engine/settings.ts'
export type { SweepOptions, SweepReport } from './engine/sweep.ts'
export type { ExportOptions, ImportOptions, ImportReport } from './engine/transfer.ts'
export type { RelationModel } from './lifecycle/relate/relation-model.ts'
export type { Candidate, CandidateInput } from './model/candidate.ts'
export { ERROR_CODES, type ErrorCode, MemoryError } from './model/errors.ts'
export type { Filter, FilterCondition } from './model/filter.ts'
export { type Identifiers, LAYERS, type Layer } from './model/layer.ts'
export {
  CATEGORIES,
  type Category,
  type JsonObject,
  type JsonValue,
  type Link,
  type Memory,
  OPERATIONAL_CATEGORIES,
  SOURCES,
  type Source,
  type Thread,
  type Tier,
  type Trust,
  WORKFLOW_CATEGORIES,
  type WorkflowCategory,
} from './model/memory.ts'
export type { Outcome, Redaction, Refusal } from './model/outcome.ts'
export type { Page } from './model/page.ts'
export type { Personality, PersonalityInput, Profile } from './model/personality.ts'
export type {
  Capabilities,
  ClaimArgument,
  Explanation,
  Health,
  MemoryList,
  MemoryProvider,
  OwnClaim,
  Repeatable,
  SearchResult,
  SearchResults,
} from './model/provider.ts'
export type { AccessToken, Change, DirectoryEntry, Injection, Session, WorkflowEvent } from './model/records.ts'
export type { RetryPolicy } from './model/retry.ts'
export type {
  Claim,
  ListRequest,
  MemoryPatch,
  NewMemory,
  OwnMemory,
  PageRequest,
  SearchMode,
  SearchRequest,
} from './model/schema.ts'
export type { Logger } from './observe/log.ts'
export type { Capabilities as StorageCapabilities } from './storage/capabilities.ts'
export type { ChangedRow, Commit, CommitResult, Embedding, NewRow, Write, WriteFailure } from './storage/commit.ts'
export type { Conditions } from './storage/conditions.ts'
export type { Collection, Documents } from './storage/documents.ts'
export type { MemoryOrder, MemoryPage, MemoryQuery, StoredMemory } from './storage/memory-query.ts'
export type {
  ChangeQuery,
  EventQuery,
  EventSelector,
  InjectionQuery,
  SessionQuery,
  SessionSelector,
} from './storage/record-query.ts'
export type { Found, SearchQuery } from './storage/search-query.ts'
export type { Storage, VectorModel } from './storage/storage.ts'
export type { PurgeReport, StorageStats } from './storage/upkeep.ts'
