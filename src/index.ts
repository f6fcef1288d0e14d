/** Nokosu as a library. Everything public is named here or in a subpath of its own. */

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
export type { MemoryOptions, Nokosu } from './engine/open-memory.ts'
export { openMemory } from './engine/open-memory.ts'
export type { ErrorCode } from './model/errors.ts'
export { ERROR_CODES, MemoryError } from './model/errors.ts'
export type { Filter, FilterCondition } from './model/filter.ts'
export type { Identifiers, Layer } from './model/layer.ts'
export { LAYERS } from './model/layer.ts'
export type { Category, JsonObject, JsonValue, Memory, Source, Tier } from './model/memory.ts'
export { CATEGORIES, OPERATIONAL_CATEGORIES, SOURCES, WORKFLOW_CATEGORIES } from './model/memory.ts'
export type { Personality, PersonalityInput, Profile } from './model/personality.ts'
export type {
  Access,
  Capabilities,
  Explanation,
  Health,
  MemoryProvider,
  SearchResult,
  SearchResults,
} from './model/provider.ts'
export type { ListRequest, MemoryPatch, NewMemory, SearchRequest } from './model/schema.ts'
export type { Change, DirectoryEntry, Session } from './model/records.ts'
export type { Storage } from './storage/storage.ts'
