import { monotonicFactory } from 'ulidx'
import { z } from 'zod'
import { cachedEmbedder } from './embedding/cached-embedder.ts'
import { type EmbeddingConfig, openEmbedding } from './embedding/open-embedding.ts'
import type { EmbeddingProvider } from './embedding/provider.ts'
import { decodeCursor, encodeCursor } from './model/cursor.ts'
import { completeIdentifiers, directoryEntries } from './model/directory.ts'
import { MemoryError } from './model/errors.ts'
import { type Identifiers, type Layer, readableScopes, scopeOf, selects } from './model/layer.ts'
import { LIMITS } from './model/limits.ts'
import { ACTIVE_CONFIDENCE, type Memory } from './model/memory.ts'
import { parseInput } from './model/parse.ts'
import type { MemoryProvider } from './model/provider.ts'
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from './model/retry.ts'
import {
  bulkSchema,
  identifiersSchema,
  idSchema,
  listSchema,
  memoryPatchSchema,
  newMemorySchema,
  searchSchema,
  text,
} from './model/schema.ts'
import type { Change, DirectoryEntry, Session } from './model/session.ts'
import { createLogger, type Logger } from './observe/log.ts'
import { createMetrics } from './observe/metrics.ts'
import { chooseLayers, search, toConditions } from './recall/search.ts'
import { openStorage } from './storage/open-storage.ts'
import type { Embedding, Storage, StorageStats } from './storage/storage.ts'

export interface MemoryOptions {
  /** A store, or its URL: `sqlite:path`. Default: `.nokosu/memory.db` here. */
  storage?: Storage | string
  embedding?: EmbeddingProvider | EmbeddingConfig
  /** Who belongs to whom, besides what the store's own directory says. */
  directory?: readonly DirectoryEntry[]
  retry?: Partial<RetryPolicy>
  /** Who is writing, for the history. */
  actor?: string
  now?: () => Date
  log?: Logger
}

/** The engine: the provider contract, and what only the whole can offer. */
export interface Nokosu extends MemoryProvider {
  readonly storage: Storage
  readonly embedding: EmbeddingProvider
  /** Every change to a memory, oldest first; of deleted ones too. */
  history(id: string): Promise<Change<Memory>[]>
  sessions(query?: { limit?: number; before?: string }): Promise<{ sessions: Session[]; totalCount: number }>
  /** Says where a project, team or org belongs: `{projectId, teamId, orgId, companyId}`, any two or more. */
  setDirectory(chain: Identifiers): Promise<DirectoryEntry[]>
  directory(): Promise<DirectoryEntry[]>
  stats(): Promise<StorageStats & { vectors: { model: string; missing: number; others: Record<string, number> } }>
  /** Gives every memory a vector of the current model. Can be interrupted and run again. */
  reembed(options?: ReembedOptions): Promise<{ embedded: number }>
}

export interface ReembedOptions {
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

/** Opens a memory, ready to use. Call `shutdown()` when done. */
export async function openMemory(options: MemoryOptions = {}): Promise<Nokosu> {
  const engine = await createEngine(options)
  await engine.initialize()
  return engine
}

const REEMBED_BATCH = 64

/** Arguments that are not objects themselves, by name, so that an error names them. */
const idArgument = z.strictObject({ id: idSchema })
const idsArgument = z.strictObject({ ids: z.array(idSchema).min(1).max(LIMITS.bulk) })
const accessArgument = z.strictObject({ identifiers: identifiersSchema.optional() })
const sessionsArgument = z.strictObject({ limit: z.int().min(1).default(50), before: idSchema.optional() })

async function createEngine(options: MemoryOptions): Promise<Nokosu> {
  const storage = typeof options.storage === 'object' ? options.storage : await openStorage(options.storage)
  const provider =
    options.embedding && 'embed' in options.embedding
      ? options.embedding
      : await openEmbedding(options.embedding ?? { kind: 'local' })
  const log = options.log ?? createLogger('warn')
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  const now = options.now ?? (() => new Date())
  const actor = options.actor ?? 'library'
  const nextId = monotonicFactory()
  const { maxContentLength } = storage.capabilities
  const newMemory = newMemorySchema(maxContentLength)
  const memoryPatch = memoryPatchSchema(maxContentLength)
  const textArgument = z.strictObject({ text: text(maxContentLength, 'CONTENT_TOO_LONG') })

  const attempt = <T>(work: () => Promise<T>): Promise<T> =>
    withRetry(retry, work, (error, delayMs) => log.debug({ code: error.code, delayMs }, 'trying again'))
  const embedder = cachedEmbedder(
    provider,
    { cachedVectors: (h, m) => attempt(() => storage.cachedVectors(h, m)) },
    retry,
  )
  const metrics = createMetrics(async () => (await storage.stats()).byLayer)

  async function embedTexts(texts: readonly string[]): Promise<(Embedding & { generated: boolean })[]> {
    return (await embedder.embed(texts)).map((embedded) => ({ ...embedded, model: provider.name }))
  }

  async function complete(identifiers: Identifiers): Promise<Identifiers> {
    return completeIdentifiers(identifiers, async (layer, id) => {
      const configured = options.directory?.find((entry) => entry.layer === layer && entry.id === id)
      return configured ?? attempt(() => storage.getDirectoryEntry(layer, id))
    })
  }

  function create(input: ReturnType<typeof newMemory.parse>): Memory {
    const identifiers: Identifiers = withoutUndefined(input.identifiers)
    scopeOf(input.layer, identifiers)
    const at = now()
    const createdAt = at.toISOString()
    return {
      ...input,
      id: nextId(at.getTime()),
      identifiers,
      active: input.confidence >= ACTIVE_CONFIDENCE,
      lastRecalledAt: null,
      recallCount: 0,
      createdAt,
      updatedAt: createdAt,
      version: 1,
    }
  }

  async function readOne(id: string): Promise<Memory | null> {
    return (await attempt(() => storage.get([id])))[0] ?? null
  }

  async function updateOnce(id: string, patch: ReturnType<typeof memoryPatch.parse>) {
    const current = await readOne(id)
    if (!current)
      throw new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
    if (patch.version !== undefined && patch.version !== current.version) {
      throw new MemoryError('CONFLICT', `The memory was changed meanwhile (version ${current.version}).`, {
        details: { id, version: current.version },
      })
    }
    const memory = applyPatch(current, withoutUndefined(patch), now())
    const embedding = memory.content === current.content ? undefined : (await embedTexts([memory.content]))[0]
    await attempt(() => storage.commit([{ kind: 'update', memory, ...(embedding ? { embedding } : {}) }], actor))
    return { memory, embeddingRegenerated: embedding !== undefined }
  }

  const operations: Nokosu = {
    storage,
    embedding: provider,
    capabilities: { ...storage.capabilities, embeddingDimensions: provider.dimensions, distanceMetrics: ['cosine'] },

    initialize: () => attempt(() => storage.initialize()),
    async shutdown() {
      await provider.close?.()
      await storage.shutdown()
    },
    async healthCheck() {
      const start = performance.now()
      const latencyMs = () => Math.round((performance.now() - start) * 100) / 100
      try {
        await storage.ping()
        const others = await otherModels()
        const problems = others.length === 0 ? [] : [modelChanged(others, provider.name)]
        return { status: problems.length === 0 ? 'healthy' : 'degraded', latencyMs: latencyMs(), problems }
      } catch (error) {
        return { status: 'unhealthy', latencyMs: latencyMs(), problems: [(error as Error).message] }
      }
    },

    async add(input) {
      const memory = create(parseInput(newMemory, input, 'add'))
      const embedding = (await embedTexts([memory.content]))[0]!
      await attempt(() => storage.commit([{ kind: 'insert', memory, embedding }], actor))
      return { memory, embeddingGenerated: embedding.generated }
    },

    async search(input) {
      const request = parseInput(searchSchema, input, 'search')
      const results = await search(
        {
          storage,
          model: {
            name: provider.name,
            dimensions: provider.dimensions,
            calibrate: (c) => provider.calibrate?.(c) ?? c,
          },
          embedQuery: async (query) => (await embedder.embed([query]))[0]!.vector,
          now: now(),
          attempt,
        },
        request,
        await complete(withoutUndefined(request.identifiers)),
      )
      const counts = new Map<Layer, number>(results.searchedLayers.map((layer) => [layer, 0]))
      for (const { layer } of results.results) counts.set(layer, counts.get(layer)! + 1)
      metrics.searched(counts)
      return results
    },

    async get(id, access = {}) {
      parseInput(idArgument, { id }, 'get')
      const reader = parseInput(accessArgument, access, 'get').identifiers
      const memory = await readOne(id)
      if (!memory || !reader) return memory
      const identifiers = await complete(withoutUndefined(reader))
      const selector = readableScopes(memory.layer, identifiers)
      return selector && selects(selector, scopeOf(memory.layer, memory.identifiers)) ? memory : null
    },

    async update(id, input) {
      parseInput(idArgument, { id }, 'update')
      const patch = parseInput(memoryPatch, input, 'update')
      // Without a version the caller wants the change on whatever is there: a lost race is read again, not reported.
      for (let tries = 0; ; tries++) {
        try {
          return await updateOnce(id, patch)
        } catch (error) {
          if (!MemoryError.is(error) || error.code !== 'CONFLICT' || patch.version !== undefined || tries >= 20)
            throw error
        }
      }
    },

    async delete(id) {
      parseInput(idArgument, { id }, 'delete')
      await attempt(() => storage.commit([{ kind: 'delete', id }], actor))
      return { success: true }
    },

    async list(input = {}) {
      const request = parseInput(listSchema, input, 'list')
      const after = request.cursor === undefined ? null : decodeCursor(request.cursor)
      const identifiers = withoutUndefined(request.identifiers)
      const everything = Object.keys(identifiers).length === 0 && !request.layers
      const known = await complete(identifiers)
      const scopes = everything
        ? null
        : chooseLayers(request.layers, known).flatMap((layer) => readableScopes(layer, known) ?? [])
      const where = toConditions(request, now())
      const { memories, totalCount } = await attempt(() =>
        storage.list({ scopes, where, limit: request.limit + 1, after }),
      )
      const page = memories.slice(0, request.limit)
      return {
        memories: page,
        nextCursor: memories.length > page.length ? encodeCursor(page.at(-1)!) : null,
        totalCount,
      }
    },

    async generateEmbedding(input) {
      const content = parseInput(textArgument, { text: input }, 'generateEmbedding').text
      // A copy: the original stays in the cache.
      return (await embedder.embed([content]))[0]!.vector.slice()
    },

    async bulkAdd(inputs) {
      const memories = parseInput(bulkSchema(newMemory), { memories: inputs }, 'bulkAdd').memories.map(create)
      const embeddings = await embedTexts(memories.map((memory) => memory.content))
      const writes = memories.map((memory, i) => ({ kind: 'insert' as const, memory, embedding: embeddings[i]! }))
      if (storage.capabilities.bulkOperations) {
        await attempt(() => storage.commit(writes, actor))
        return { memories }
      }
      const done: string[] = []
      try {
        for (const write of writes) {
          await attempt(() => storage.commit([write], actor))
          done.push(write.memory.id)
        }
      } catch (error) {
        for (const id of done) await attempt(() => storage.commit([{ kind: 'delete', id }], actor))
        throw error
      }
      return { memories }
    },

    async bulkDelete(input) {
      const { ids } = parseInput(idsArgument, { ids: input }, 'bulkDelete')
      const known = (await attempt(() => storage.get(ids))).map((memory) => memory.id)
      const remove = (part: readonly string[]) =>
        attempt(() =>
          storage.commit(
            part.map((id) => ({ kind: 'delete' as const, id })),
            actor,
          ),
        )
      if (storage.capabilities.bulkOperations) {
        await remove(known)
        return { deleted: known.length, failed: [] }
      }
      const failed: string[] = []
      for (const id of known) {
        await remove([id]).catch((error: Error) => {
          log.warn({ id, error: error.message }, 'a memory could not be deleted')
          failed.push(id)
        })
      }
      return { deleted: known.length - failed.length, failed }
    },

    async history(id) {
      parseInput(idArgument, { id }, 'history')
      return attempt(() => storage.history(id))
    },
    async sessions(query = {}) {
      const { limit, before } = parseInput(sessionsArgument, query, 'sessions')
      return attempt(() => storage.listSessions({ limit, before: before ?? null }))
    },
    async setDirectory(chain) {
      const entries = directoryEntries(withoutUndefined(parseInput(identifiersSchema, chain, 'setDirectory')))
      if (entries.length === 0) {
        throw new MemoryError('INVALID_INPUT', 'Invalid directory entry: give a project, team or org and one above it.')
      }
      for (const entry of entries) await attempt(() => storage.putDirectoryEntry(entry))
      return entries
    },
    directory: () => attempt(() => storage.directory()),
    async stats() {
      const [stats, counts] = await attempt(() => Promise.all([storage.stats(), storage.vectorCounts()]))
      const { [provider.name]: own = 0, ...others } = counts
      return { ...stats, vectors: { model: provider.name, missing: stats.memories - own, others } }
    },
    async reembed({ onProgress, signal } = {}) {
      const { vectors } = await operations.stats()
      let after: string | null = null
      let embedded = 0
      onProgress?.(0, vectors.missing)
      for (;;) {
        signal?.throwIfAborted()
        const start: string | null = after
        const memories: Memory[] = await attempt(() => storage.withoutVector(provider.name, start, REEMBED_BATCH))
        if (memories.length === 0) return { embedded }
        const embeddings = await embedTexts(memories.map((memory) => memory.content))
        const entries = memories.map(({ id, version }, i) => ({ id, version, embedding: embeddings[i]! }))
        await attempt(() => storage.setVectors(entries))
        after = memories.at(-1)!.id
        embedded += memories.length
        onProgress?.(embedded, Math.max(embedded, vectors.missing))
      }
    },
  }

  async function otherModels(): Promise<string[]> {
    const counts = await storage.vectorCounts()
    return counts[provider.name] ? [] : Object.keys(counts)
  }

  return observed(operations, metrics.observe)
}

/** Every operation is counted and timed, and its errors name it. */
function observed(engine: Nokosu, observe: ReturnType<typeof createMetrics>['observe']): Nokosu {
  const names = [
    'add',
    'search',
    'get',
    'update',
    'delete',
    'list',
    'bulkAdd',
    'bulkDelete',
    'generateEmbedding',
  ] as const
  const wrapped = Object.fromEntries(
    names.map((name) => {
      const operation = engine[name] as (...values: unknown[]) => Promise<unknown>
      return [name, (...values: unknown[]) => observe(name, () => operation(...values))]
    }),
  )
  return { ...engine, ...wrapped }
}

function applyPatch(current: Memory, patch: Partial<Memory>, now: Date): Memory {
  const { metadata, version: _, ...fields } = patch
  const memory = { ...current, ...fields, version: current.version + 1, updatedAt: now.toISOString() }
  if (metadata) memory.metadata = { ...current.metadata, ...metadata }
  if (patch.confidence !== undefined) memory.active = patch.active ?? patch.confidence >= ACTIVE_CONFIDENCE
  if (memory.active && memory.confidence < ACTIVE_CONFIDENCE) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid active: a confidence of ${memory.confidence} is below ${ACTIVE_CONFIDENCE}; raise it to reactivate the memory.`,
      { details: { field: 'active' } },
    )
  }
  return memory
}

function modelChanged(others: readonly string[], current: string): string {
  return `The memories were embedded with ${others.join(', ')}, and the model is now ${current}. Run 'nokosu reembed'.`
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never
}
