import type { Identifiers, Layer } from './layer.ts'
import type { Memory } from './memory.ts'
import type { ListRequest, MemoryPatch, NewMemory, SearchRequest } from './schema.ts'

/** What a provider can do by itself. Where it cannot, the engine fills in or the call fails with UNSUPPORTED. */
export interface Capabilities {
  vectorSearch: boolean
  keywordSearch: boolean
  embeddingDimensions: number
  distanceMetrics: readonly 'cosine'[]
  bulkOperations: boolean
  maxContentLength: number
  transactions: boolean
}

/** Why a result scored as it did. */
export interface Explanation {
  /** (1 + cosine) / 2 after the embedder's calibration; null when the memory has no vector or none was asked for. */
  semantic: number | null
  keyword: number
  /** The query's terms that the memory holds, with their weight (0 to 1) in the query. */
  terms: { term: string; weight: number }[]
  layer: { name: Layer; precedence: number }
  confidence: number
  /** Lower-precedence memories that say the same and were folded into this one. */
  collapsed: string[]
}

export interface SearchResult {
  memory: Memory
  score: number
  layer: Layer
  explanation?: Explanation
}

export interface SearchResults {
  results: SearchResult[]
  /** Matches at or above the threshold before the limit, among the best candidates of each layer. */
  totalCount: number
  searchedLayers: Layer[]
}

export interface Health {
  status: 'healthy' | 'degraded' | 'unhealthy'
  latencyMs: number
  /** What is wrong and how to mend it; empty when healthy. */
  problems: string[]
}

/** A reader's identifiers: with them, a memory outside their scope reads as absent. */
export interface Access {
  identifiers?: Identifiers
}

/** The contract that every surface calls and every backend is held to by the conformance suite. */
export interface MemoryProvider {
  readonly capabilities: Capabilities
  initialize(): Promise<void>
  shutdown(): Promise<void>
  healthCheck(): Promise<Health>

  add(memory: NewMemory): Promise<{ memory: Memory; embeddingGenerated: boolean }>
  search(request: SearchRequest): Promise<SearchResults>
  /** The memory, or null. Inactive and expired ones are found by id too, so that they can be examined. */
  get(id: string, access?: Access): Promise<Memory | null>
  update(id: string, patch: MemoryPatch): Promise<{ memory: Memory; embeddingRegenerated: boolean }>
  /** Succeeds for an unknown id too. */
  delete(id: string): Promise<{ success: true }>
  /** Newest first. */
  list(request?: ListRequest): Promise<{ memories: Memory[]; nextCursor: string | null; totalCount: number }>
  generateEmbedding(text: string): Promise<Float32Array>

  /** All or none. */
  bulkAdd(memories: readonly NewMemory[]): Promise<{ memories: Memory[] }>
  bulkDelete(ids: readonly string[]): Promise<{ deleted: number; failed: string[] }>
}
