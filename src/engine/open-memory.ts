import { monotonicFactory } from 'ulidx'
import { z } from 'zod'
import { cachedEmbedder } from '../embedding/cached-embedder.ts'
import { type EmbeddingConfig, openEmbedding } from '../embedding/open-embedding.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { PoisonModel } from '../guard/poison-model.ts'
import { localRelationModel, type RelationModel } from '../lifecycle/relate/relation-model.ts'
import { completeIdentifiers } from '../model/directory.ts'
import { identifiersSchema, text } from '../model/fields.ts'
import { DEFAULTS, LIMITS } from '../model/limits.ts'
import { fingerprint } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import type { OwnClaim } from '../model/provider.ts'
import type { DirectoryEntry } from '../model/records.ts'
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from '../model/retry.ts'
import type { Claim, NewMemory, OwnMemory } from '../model/schema.ts'
import { createLogger, type Logger } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { checkedStorage } from '../storage/checked-storage.ts'
import { directoryKey } from '../storage/documents.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { createBackoffs } from './backoffs.ts'
import { boundedStorage } from './bounded-storage.ts'
import { requireSome } from './claim.ts'
import { type Caller, type Core, withoutUndefined } from './core.ts'
import { directoryOperations } from './directory.ts'
import { checkHealth } from './health.ts'
import { createJudge, defaultPoisons } from './judge.ts'
import { judgingStorage } from './judging-storage.ts'
import type { Nokosu } from './nokosu.ts'
import { createOperations } from './operations.ts'
import { requireOperator } from './operator.ts'
import { DEFAULT_SETTINGS, type MemorySettings } from './settings.ts'
import { tokenOperations } from './tokens.ts'
import { commitAll } from './write.ts'

export type { Nokosu }

export interface MemoryOptions {
  /** A store, or its URL: `sqlite:path`. Default: `.nokosu/memory.db` here. */
  storage?: Storage | string
  embedding?: EmbeddingProvider | EmbeddingConfig
  /** Tells same from contradiction; null: by the words alone. Default: the model that comes with the package. */
  relations?: RelationModel | null
  /** Recognises notes that would mislead a later agent; null: by words alone. Default: the model that comes with the package, unless the embedding is `hashing`. */
  poisons?: PoisonModel | null
  /** Who belongs to whom, besides what the store's own directory says. */
  directory?: readonly DirectoryEntry[]
  retry?: Partial<RetryPolicy>
  /** What is kept and for how long. */
  memory?: Partial<MemorySettings>
  /** Tokens of a block of memories in a prompt. Default: 2,000. */
  budget?: number
  /** Who is writing, for the history. */
  actor?: string
  /** Opened by an agent inside its run: nothing it writes is an operator's word, and it decides nothing that is an operator's. */
  insideRun?: boolean
  now?: () => Date
  log?: Logger
}

/** Opens a memory, ready to use. Call `shutdown()` when done. */
export async function openMemory(options: MemoryOptions = {}): Promise<Nokosu> {
  const core = await createCore(options)
  const engine = createEngine(core, options.actor ?? 'library')
  await engine.initialize()
  return engine
}

async function createCore(options: MemoryOptions): Promise<Core> {
  const backend = typeof options.storage === 'object' ? options.storage : await openStorage(options.storage)
  const model =
    options.embedding && 'embed' in options.embedding
      ? options.embedding
      : await openEmbedding(options.embedding ?? { kind: 'local' })
  const log = options.log ?? createLogger('warn')
  const poisons = options.poisons === undefined ? defaultPoisons(model) : options.poisons
  const judge = createJudge(poisons, log)
  const storage = judgingStorage(checkedStorage(backend), judge)
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  const ulid = monotonicFactory()
  const now = options.now ?? (() => new Date())
  const backoffs = createBackoffs(now)
  const attempt = <T>(work: () => Promise<T>): Promise<T> =>
    withRetry(retry, work, (error, delayMs) => {
      backoffs.noteFor('store')(error, delayMs)
      log.debug({ code: error.code, delayMs }, 'trying again')
    })
  return {
    storage,
    model,
    embedder: cachedEmbedder(
      model,
      (hashes) => attempt(() => storage.embeddings(hashes)),
      retry,
      backoffs.noteFor(model.name),
    ),
    relations: options.relations === undefined ? localRelationModel() : options.relations,
    poisons,
    judge,
    settings: { ...DEFAULT_SETTINGS, ...options.memory },
    budget: options.budget ?? DEFAULTS.budget,
    log,
    insideRun: options.insideRun ?? false,
    now,
    backoffs: () => backoffs.current(),
    nextId: (at) => ulid(at.getTime()),
    attempt,
    complete: (identifiers) =>
      completeIdentifiers(identifiers, async (layer, id) => {
        const configured = options.directory?.find((entry) => entry.layer === layer && entry.id === id)
        return configured ?? (await attempt(() => storage.documents('directory', [directoryKey(layer, id)])))[0] ?? null
      }),
  }
}

const callerSchema = z.strictObject({
  identifiers: identifiersSchema,
  by: text(LIMITS.actor).optional(),
  within: identifiersSchema.optional(),
  named: z.literal(true).optional(),
  seesHeld: z.boolean().optional(),
  agent: z.boolean().optional(),
})
const purgeSchema = z.strictObject({ before: z.date().optional(), dryRun: z.boolean().default(false) })

/** Composes the stages. What not every process needs is loaded by its first use. */
function createEngine(core: Core, actor: string): Nokosu {
  const { storage, model, attempt } = core
  const metrics = createMetrics(async () => (await storage.stats()).byLayer)
  const operator: Caller = { identifiers: null, by: actor }
  const { maxWrites, ...capabilities } = storage.capabilities
  const { observe } = metrics
  return {
    embedding: model,
    settings: core.settings,
    capabilities: {
      vectorSearch: capabilities.vectorSearch,
      keywordSearch: capabilities.keywordSearch,
      maxContentLength: capabilities.maxContentLength,
      embeddingDimensions: model.dimensions,
      distanceMetrics: ['cosine'],
      bulkOperations: maxWrites > 1,
      transactions: maxWrites > 1,
    },
    ...createOperations<NewMemory, Claim>(core, operator, metrics),

    as(identifiers, options = {}) {
      const { within, ...known } = parseInput(callerSchema, { ...options, identifiers }, 'as')
      requireSome(known.identifiers)
      const caller: Caller = withoutUndefined({ ...known, by: known.by ?? actor, within })
      const own = within === undefined ? core : { ...core, storage: boundedStorage(storage, within) }
      return createOperations<OwnMemory, OwnClaim>(own, caller, metrics)
    },
    operator(by, options = {}) {
      const known = parseInput(callerSchema, { ...options, identifiers: {}, by }, 'operator')
      const caller: Caller = { ...withoutUndefined(known), identifiers: null, everything: true, by }
      return createOperations<OwnMemory, OwnClaim>(core, caller, metrics)
    },
    tokens: tokenOperations(core, operator),
    async bindKey(key, asked) {
      await commitAll(core, { key: `bound:${fingerprint(key)}`, of: asked, by: actor, writes: [] })
    },
    initialize: () => attempt(() => storage.initialize({ name: model.name, dimensions: model.dimensions })),
    async shutdown() {
      await Promise.all([model.close?.(), core.relations?.close(), core.poisons?.close()])
      await storage.shutdown()
    },
    healthCheck: () => checkHealth(core),
    backoffs: core.backoffs,
    directory: directoryOperations(core, operator),
    stats: () => observe('stats', () => attempt(() => storage.stats())),
    follow: async (changed) => (await storage.follow?.(changed)) ?? null,
    sweep: (options) =>
      observe('sweep', async () => {
        requireOperator(core, operator, 'sweeps a store')
        return (await import('./sweep.ts')).sweep(core, options)
      }),
    purge: (options = {}) =>
      observe('purge', async () => {
        requireOperator(core, operator, 'purges a store')
        const { before = core.now(), dryRun } = parseInput(purgeSchema, options, 'purge')
        return attempt(() => storage.purge({ before: before.toISOString(), dryRun }))
      }),
    reembed: (options) =>
      observe('reembed', async () => {
        requireOperator(core, operator, 'computes the vectors of a store')
        return (await import('./reembed.ts')).reembed(core, options)
      }),
    import: (lines, options) =>
      observe('import', async () => (await import('./transfer.ts')).importMemories(core, operator, lines, options)),
  }
}
