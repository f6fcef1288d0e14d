import { MemoryError } from '../model/errors.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import type { AddResult, Outcome } from '../model/outcome.ts'
import type { Capabilities, Health, MemoryList, MemoryProvider, SearchResults } from '../model/provider.ts'
import { takeSignal, unlessAborted } from './abort.ts'

/** The ten methods of every memory provider, and two optional ones. Results are those of {@link MemoryProvider}. */
export interface ForeignProvider {
  readonly capabilities?: Partial<Capabilities>
  initialize(): Promise<unknown>
  shutdown(): Promise<unknown>
  healthCheck(): Promise<Partial<Health> & Pick<Health, 'status'>>
  add(memory: object, options?: object): Promise<{ memory: Memory; embeddingGenerated?: boolean }>
  search(request: object): Promise<Pick<SearchResults, 'results'> & Partial<SearchResults>>
  get(id: string, claim?: object): Promise<Memory | null>
  update(id: string, patch: object, claim?: object): Promise<{ memory: Memory; embeddingRegenerated?: boolean }>
  delete(id: string, claim?: object): Promise<unknown>
  list(request: object): Promise<Pick<MemoryList, 'memories'> & Partial<MemoryList>>
  generateEmbedding(text: string): Promise<Float32Array | readonly number[]>
  bulkAdd?(memories: readonly object[], options?: object): Promise<{ memories: Memory[] }>
  bulkDelete?(ids: readonly string[], claim?: object): Promise<{ deleted: number; failed: string[] }>
}

const METHODS = [
  ...(['initialize', 'shutdown', 'healthCheck', 'add', 'search', 'get', 'update', 'delete', 'list'] as const),
  'generateEmbedding',
] as const

/**
 * Uses a third party's provider with this package's memory operations: adds plain forms, bulk calls and missing result
 * fields. It does not weigh: each `add` is a separate memory.
 */
export function fromProvider(given: ForeignProvider | MemoryProvider): MemoryProvider & AsyncDisposable {
  const provider = given as ForeignProvider
  const missing = METHODS.filter((name) => typeof provider?.[name] !== 'function')
  if (missing.length > 0) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Not a memory provider: ${missing.join(', ')} of its ten methods is missing.`,
      { operation: 'fromProvider', details: { missing } },
    )
  }
  const add = async (memory: object | string, options: object = {}): Promise<AddResult> => {
    const fields = typeof memory === 'string' ? { content: memory } : memory
    const { key, signal: _, exact: __, ...more } = options as { key?: string; signal?: AbortSignal; exact?: boolean }
    const added = await provider.add({ ...fields, ...more }, key === undefined ? {} : { key })
    return toResult(added.memory, added.embeddingGenerated ?? true)
  }
  const shutdown = async () => void (await provider.shutdown())
  const memory: MemoryProvider = {
    capabilities: {
      ...{ vectorSearch: true, keywordSearch: false, embeddingDimensions: 0, distanceMetrics: ['cosine'] as const },
      ...{ bulkOperations: false, transactions: false, maxContentLength: LIMITS.content },
      ...provider.capabilities,
    },
    initialize: async () => void (await provider.initialize()),
    shutdown,
    async healthCheck() {
      const start = performance.now()
      const health = await provider.healthCheck()
      return { latencyMs: performance.now() - start, problems: [], ...health }
    },
    add,
    async search(request, options = {} as never) {
      const asked = typeof request === 'string' ? { ...options, query: request } : request
      const found = await provider.search(asked)
      return { totalCount: found.results.length, searchedLayers: [], ...found }
    },
    get: (id, ...claim) => provider.get(id, ...claim),
    async update(id, patch, ...claim) {
      const updated = await provider.update(id, patch, ...claim)
      return { embeddingRegenerated: 'content' in patch, ...updated }
    },
    async delete(id, ...claim) {
      await provider.delete(id, ...claim)
      return { success: true }
    },
    async list(request) {
      const page = await provider.list(request)
      return { nextCursor: null, totalCount: page.memories.length, ...page }
    },
    generateEmbedding: async (text) => Float32Array.from(await provider.generateEmbedding(text)),
    async bulkAdd(memories, options = {}) {
      const inputs = memories.map((each) => (typeof each === 'string' ? { content: each } : each))
      const stored = provider.bulkAdd
        ? (await provider.bulkAdd(inputs, options)).memories
        : await inTurn(inputs, async (each, i) => (await add(each, ofPart(options, i))).memory)
      return { memories: stored, outcomes: stored.map(toOutcome) }
    },
    async bulkDelete(ids, ...claim) {
      if (provider.bulkDelete) return provider.bulkDelete(ids, ...claim)
      for (const id of ids) await provider.delete(id, ...claim)
      return { deleted: ids.length, failed: [] }
    },
  }
  return { ...stopping(memory), [Symbol.asyncDispose]: shutdown }
}

/** The same calls, which stop waiting when their signal is aborted. The provider may use the signal too. */
function stopping(memory: MemoryProvider): MemoryProvider {
  const calls = Object.entries(memory).map(([name, call]) => {
    if (typeof call !== 'function') return [name, call]
    const stoppable = async (...values: unknown[]) => {
      const { signal } = takeSignal(name, values)
      return signal === null ? call(...values) : unlessAborted(signal, () => call(...values))
    }
    return [name, stoppable]
  })
  return Object.fromEntries(calls)
}

/** Each part of a call with a key has its own key. */
function ofPart(options: { key?: string }, part: number): object {
  return options.key === undefined ? options : { ...options, key: `${options.key}/${part}` }
}

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item, i: number) => Promise<Result>) {
  const results: Result[] = []
  for (const [i, item] of items.entries()) results.push(await work(item, i))
  return results
}

function toOutcome(memory: Memory): Outcome {
  const { content, category, service } = memory
  return {
    kind: 'insert',
    reason: 'stored by the provider',
    content,
    category,
    service,
    redactions: [],
    flags: [],
    memory,
  }
}

function toResult(memory: Memory, embeddingGenerated: boolean): AddResult {
  const told = { outcome: 'insert' as const, reason: 'stored by the provider' }
  return { memory, embeddingGenerated, ...told, weakened: [], redactions: [], flags: [] }
}
