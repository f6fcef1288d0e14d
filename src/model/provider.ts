import { z } from 'zod'
import { layerSchema } from './fields.ts'
import { type Memory, memorySchema } from './memory.ts'
import type { AddResult, Outcome } from './outcome.ts'
import type { Claim, ListRequest, MemoryPatch, NewMemory, OwnMemory, SearchRequest } from './schema.ts'

/** What a store supports natively. For the rest the engine fills in, or the call fails with UNSUPPORTED. */
export interface Capabilities {
  vectorSearch: boolean
  keywordSearch: boolean
  embeddingDimensions: number
  distanceMetrics: readonly 'cosine'[]
  /** Whether several memories are written in one transaction. */
  bulkOperations: boolean
  maxContentLength: number
  transactions: boolean
}

/** Why a result got its score. */
const explanationSchema = z.strictObject({
  /** (1 + cosine) / 2 after the embedder's calibration; null if the memory or the query has no vector. */
  semantic: z.number().nullable(),
  keyword: z.number(),
  /** The query terms found in the memory, with their weight (0 to 1) in the query. */
  terms: z.array(z.strictObject({ term: z.string(), weight: z.number() })),
  layer: z.strictObject({ name: layerSchema, precedence: z.int() }),
  confidence: z.number(),
  /** Lower-precedence memories with the same meaning, folded into this one. */
  collapsed: z.array(z.string()),
})
export type Explanation = z.output<typeof explanationSchema>

export const searchResultSchema = z.strictObject({
  memory: memorySchema,
  score: z.number(),
  layer: layerSchema,
  explanation: explanationSchema.optional(),
  /** With `includeInactive`: the active memory that corrects this one. */
  correctedBy: z.string().optional(),
  /** Set if others contradict it and neither side is clearly stronger: who says what, since when. */
  disputed: z.string().optional(),
})
export type SearchResult = z.output<typeof searchResultSchema>

export const searchResultsSchema = z.strictObject({
  results: z.array(searchResultSchema),
  /** Matches at or above the threshold, before the limit, among the best candidates. */
  totalCount: z.int(),
  searchedLayers: z.array(layerSchema),
  /** Only where nothing reaches the threshold: the one or two that come closest. They may not answer; often there are none. */
  closest: z.array(searchResultSchema).optional(),
  /**
   * With `explain`: memories that also reached the threshold but are left out, because `by`, which is active, corrects
   * them.
   */
  corrected: z.array(z.strictObject({ id: z.string(), by: z.string() })).optional(),
})
export type SearchResults = z.output<typeof searchResultsSchema>

export const memoryListSchema = z.strictObject({
  memories: z.array(memorySchema),
  nextCursor: z.string().nullable(),
  totalCount: z.int(),
})
export type MemoryList = z.output<typeof memoryListSchema>

export const healthSchema = z.strictObject({
  status: z.enum(['healthy', 'degraded', 'unhealthy']),
  latencyMs: z.number(),
  /** What is wrong and how to fix it; empty if healthy. */
  problems: z.array(z.string()),
})
export type Health = z.output<typeof healthSchema>

/** A cancellable call: it rejects with the signal's reason and leaves nothing half done. */
export interface Stoppable {
  signal?: AbortSignal | undefined
}

/** A repeatable call: a second call with the same key changes nothing. */
export interface Repeatable extends Stoppable {
  key?: string
}

/** The remaining fields of a new memory, and the options of the call. */
export type AddOptions<New> = Partial<Omit<New, 'content'>> & Repeatable

/** Inside `memory.as(...)` the caller is known; any identifiers given here must match. */
export type OwnClaim = { identifiers?: Claim['identifiers']; everything?: never }
/** The claim is the last argument, and can be omitted if the caller is known. */
export type ClaimArgument<Who, More = unknown> = [Who] extends [Claim]
  ? [claim: Who & More & Stoppable]
  : [claim?: Who & More & Stoppable]
/** A request with its claim. Distributes over unions. */
export type Claiming<Request, Who> = Request extends unknown
  ? Omit<Request, 'identifiers' | 'everything'> & Who & Stoppable
  : never
/** A request that can be omitted if the caller is known. */
export type Asking<Request, Who> = [Who] extends [Claim]
  ? [request: Claiming<Request, Who>]
  : [request?: Claiming<Request, Who>]

/**
 * Operations on single memories; `Who` is the type of the caller's claim. A memory outside the caller's scope does not
 * exist for it.
 */
export interface MemoryOperations<New, Who> {
  /**
   * Adds an observation. Repeats reinforce what is known, corrections correct it, and the result says which happened.
   * With `exact` it is always stored as a new memory.
   */
  add(memory: New | string, options?: AddOptions<New>): Promise<AddResult>
  /** Searches by meaning and by words: `search('caddy restart')`, or an object with the query and filters. */
  search(
    request: string | Claiming<SearchRequest, Who>,
    options?: Claiming<Omit<SearchRequest, 'query'>, Who>,
  ): Promise<SearchResults>
  /** The memory, or null. Inactive and expired memories are returned too, so that they can be examined. */
  get(id: string, ...claim: ClaimArgument<Who>): Promise<Memory | null>
  update(
    id: string,
    patch: MemoryPatch,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memory: Memory; embeddingRegenerated: boolean }>
  /** Also succeeds for an unknown id. If `version` is given and the store has a newer one, fails with CONFLICT. */
  delete(id: string, ...claim: ClaimArgument<Who, Repeatable & { version?: number }>): Promise<{ success: true }>
  /** Newest first. */
  list(...request: Asking<ListRequest, Who>): Promise<MemoryList>
  generateEmbedding(text: string, options?: Stoppable): Promise<Float32Array>
  /**
   * Adds several observations, in order. `outcomes` has one entry per input, `memories` those they resulted in. With
   * `exact` they are written in batches of the store's maximum size, each all or nothing. If a batch fails, the error's
   * `details.stored` is the number stored so far; repeat the call with the same key to continue.
   */
  bulkAdd(
    memories: readonly (New | string)[],
    options?: Repeatable & { exact?: boolean },
  ): Promise<{ memories: Memory[]; outcomes: Outcome[] }>
  /** `failed`: ids that the store did not delete. Unknown ids are in neither list. */
  bulkDelete(
    ids: readonly string[],
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ deleted: number; failed: string[] }>
}

/** The contract that every surface calls; the conformance suite checks it for every backend. */
export interface MemoryProvider extends MemoryOperations<NewMemory, Claim> {
  readonly capabilities: Capabilities
  initialize(): Promise<void>
  shutdown(): Promise<void>
  healthCheck(options?: Stoppable): Promise<Health>
}

export type OwnMemoryOperations = MemoryOperations<OwnMemory, OwnClaim>
