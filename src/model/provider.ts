import { z } from 'zod'
import { layerSchema } from './fields.ts'
import { type Memory, memorySchema } from './memory.ts'
import type { AddResult, Outcome } from './outcome.ts'
import type { Claim, ListRequest, MemoryPatch, NewMemory, OwnMemory, SearchRequest } from './schema.ts'

/** What a memory can do by itself. Where it cannot, the engine fills in or the call fails with UNSUPPORTED. */
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

/** Why a result scored as it did. */
const explanationSchema = z.strictObject({
  /** (1 + cosine) / 2 after the embedder's calibration; null when the memory has no vector or none was asked for. */
  semantic: z.number().nullable(),
  keyword: z.number(),
  /** The query's terms that the memory holds, with their weight (0 to 1) in the query. */
  terms: z.array(z.strictObject({ term: z.string(), weight: z.number() })),
  layer: z.strictObject({ name: layerSchema, precedence: z.int() }),
  confidence: z.number(),
  /** Lower-precedence memories that say the same and were folded into this one. */
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
  /** Others contradict it, and neither side is clearly stronger: who says what, since when. */
  disputed: z.string().optional(),
})
export type SearchResult = z.output<typeof searchResultSchema>

export const searchResultsSchema = z.strictObject({
  results: z.array(searchResultSchema),
  /** Matches at or above the threshold before the limit, among the best candidates. */
  totalCount: z.int(),
  searchedLayers: z.array(layerSchema),
  /** With `explain`: memories that reached the threshold too and are left out, because `by`, which is active, corrects them. */
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
  /** What is wrong and how to mend it; empty when healthy. */
  problems: z.array(z.string()),
})
export type Health = z.output<typeof healthSchema>

/** A call that may be stopped: it rejects with the signal's reason, and leaves nothing half done. */
export interface Stoppable {
  signal?: AbortSignal | undefined
}

/** A call that may be repeated: the second with the same key changes nothing. */
export interface Repeatable extends Stoppable {
  key?: string
}

/** The other fields of what is added, and what the call itself can be told. */
export type AddOptions<New> = Partial<Omit<New, 'content'>> & Repeatable

/** Inside `memory.as(...)` the caller is known; identifiers may only repeat what it was opened with. */
export type OwnClaim = { identifiers?: Claim['identifiers']; everything?: never }
/** The claim comes last, and can be left out where the caller is known. */
export type ClaimArgument<Who, More = unknown> = [Who] extends [Claim]
  ? [claim: Who & More & Stoppable]
  : [claim?: Who & More & Stoppable]
/** A request with its claim. Distributes, so that a union of requests stays one. */
export type Claiming<Request, Who> = Request extends unknown
  ? Omit<Request, 'identifiers' | 'everything'> & Who & Stoppable
  : never
/** A request that can be left out where the caller is known. */
export type Asking<Request, Who> = [Who] extends [Claim]
  ? [request: Claiming<Request, Who>]
  : [request?: Claiming<Request, Who>]

/** What can be done with single memories, by whoever `Who` is. A memory outside the caller's scope does not exist for it. */
export interface MemoryOperations<New, Who> {
  /**
   * Adds an observation. It is weighed: a repeat reinforces what is known, a correction corrects it, and the answer says which. With
   * `exact` it is stored as a memory of its own: one call, one row, its id.
   */
  add(memory: New | string, options?: AddOptions<New>): Promise<AddResult>
  /** By meaning and by words: `search('caddy restart')`, or an object with the query and what narrows it. */
  search(
    request: string | Claiming<SearchRequest, Who>,
    options?: Claiming<Omit<SearchRequest, 'query'>, Who>,
  ): Promise<SearchResults>
  /** The memory, or null. Inactive and expired ones are found by id too, so that they can be examined. */
  get(id: string, ...claim: ClaimArgument<Who>): Promise<Memory | null>
  update(
    id: string,
    patch: MemoryPatch,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memory: Memory; embeddingRegenerated: boolean }>
  /** Succeeds for an unknown id too. With the version that the caller saw, a newer one in the store is a CONFLICT. */
  delete(id: string, ...claim: ClaimArgument<Who, Repeatable & { version?: number }>): Promise<{ success: true }>
  /** Newest first. */
  list(...request: Asking<ListRequest, Who>): Promise<MemoryList>
  generateEmbedding(text: string): Promise<Float32Array>
  /**
   * The same for many, in order. `outcomes` has one entry for each that was given, `memories` those that it came to. With `exact` they
   * are written in parts of as many as the store takes at once, each all or none. When a part fails, the error's `details.stored` says
   * how many are done; repeated with the same key, the call goes on behind them.
   */
  bulkAdd(
    memories: readonly (New | string)[],
    options?: Repeatable & { exact?: boolean },
  ): Promise<{ memories: Memory[]; outcomes: Outcome[] }>
  /** `failed`: ids that the store did not delete. Unknown ids are neither. */
  bulkDelete(
    ids: readonly string[],
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ deleted: number; failed: string[] }>
}

/** The contract that every surface calls and every backend is held to by the conformance suite. */
export interface MemoryProvider extends MemoryOperations<NewMemory, Claim> {
  readonly capabilities: Capabilities
  initialize(): Promise<void>
  shutdown(): Promise<void>
  healthCheck(): Promise<Health>
}

export type OwnMemoryOperations = MemoryOperations<OwnMemory, OwnClaim>
