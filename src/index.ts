/**
 * Nokosu as a library. What most programs need is exported here; the rest is in subpaths: `nokosu/storage` for writing a store,
 * `nokosu/provider` for using a third party's memory, `nokosu/compat` for the names used by other orchestrators.
 */

export type { WorkflowEventInput } from './capture/workflow-events.ts'
export type { NokosuConfig } from './config/config-schema.ts'
export type { EmbeddingConfig } from './embedding/open-embedding.ts'
export type { EmbeddingProvider } from './embedding/provider.ts'
export type { CaptureReport, CaptureRequest } from './engine/capture.ts'
export type { Context, ContextRequest } from './engine/context.ts'
export type { Nokosu, OwnMemories } from './engine/nokosu.ts'
export { type MemoryOptions, openMemory } from './engine/open-memory.ts'
export type { Recall, RecallRequest } from './engine/recall.ts'
export type { CandidateInput } from './model/candidate.ts'
export { CATEGORIES, type Category } from './model/categories.ts'
export { ERROR_CODES, type ErrorCode, MemoryError } from './model/errors.ts'
export type { Filter } from './model/filter.ts'
export { type Identifiers, LAYERS, type Layer } from './model/layer.ts'
export { type JsonObject, type Memory, SOURCES, type Source } from './model/memory.ts'
export type { AddResult, Outcome } from './model/outcome.ts'
export type { MemoryList, SearchResult, SearchResults } from './model/provider.ts'
export type { Session } from './model/records.ts'
export type { ListRequest, MemoryPatch, NewMemory, OwnMemory, SearchRequest } from './model/schema.ts'
