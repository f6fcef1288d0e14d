import { monotonicFactory } from 'ulidx'
import { z } from 'zod'
import { aiSdkEmbedding, isAiSdkModel } from '../embedding/ai-sdk.ts'
import { cachedEmbedder } from '../embedding/cached-embedder.ts'
import { openEmbedding } from '../embedding/open-embedding.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import { localRelationModel } from '../lifecycle/relate/relation-model.ts'
import { breathe } from '../model/breathe.ts'
import { completeIdentifiers } from '../model/directory.ts'
import { MemoryError } from '../model/errors.ts'
import { identifiersSchema, text, timeSchema } from '../model/fields.ts'
import { DEFAULTS, LIMITS } from '../model/limits.ts'
import { fingerprint } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import type { OwnClaim } from '../model/provider.ts'
import { DEFAULT_RETRY, withRetry } from '../model/retry.ts'
import type { Claim, NewMemory, OwnMemory } from '../model/schema.ts'
import { createLogger } from '../observe/log.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { checkedStorage } from '../storage/checked-storage.ts'
import { directoryKey } from '../storage/documents.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { isServer, storeAddress } from '../storage/store-address.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { unlessAborted, withSignals } from './abort.ts'
import { type AuditRequest, readAudit, recordAct, withAudit } from './audit.ts'
import { createBackoffs } from './backoffs.ts'
import { boundedStorage } from './bounded-storage.ts'
import { requireSome } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { directoryOperations } from './directory.ts'
import { checkHealth } from './health.ts'
import { createJudge, defaultPoisons } from './judge.ts'
import { judgingStorage } from './judging-storage.ts'
import { checkOptions, type MemoryOptions, requireStorage } from './memory-options.ts'
import { type BeforeWrite, meteredStorage } from './metered-storage.ts'
import type { Nokosu, PurgeOptions } from './nokosu.ts'
import { createOperations } from './operations.ts'
import { requireOperator } from './operator.ts'
import type { ReembedOptions } from './reembed.ts'
import { tokenFrom } from './run-token.ts'
import { SessionStates } from './session-states.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import type { SweepOptions } from './sweep.ts'
import { tokenOperations } from './tokens.ts'
import type { ImportOptions } from './transfer.ts'
import { commitAll } from './write.ts'

export type { MemoryOptions, Nokosu }

/** Opens a memory, ready to use. Call `shutdown()` when done, or open it with `await using`. */
export async function openMemory(options: MemoryOptions = {}): Promise<Nokosu> {
  checkOptions(options)
  const { signal, ...others } = options
  if (signal === undefined) return open(others)
  signal.throwIfAborted()
  const opening = open(others)
  // If aborted, the opened memory is closed again.
  const abandon = () =>
    void opening.then(
      (engine) => engine.shutdown(),
      () => {},
    )
  signal.addEventListener('abort', abandon)
  return unlessAborted(signal, () => opening).finally(() => signal.removeEventListener('abort', abandon))
}

async function open(options: MemoryOptions): Promise<Nokosu> {
  if (typeof options.storage === 'string' && isServer(options.storage)) {
    const { openRemote } = await import('./url/remote-memory.ts')
    return openRemote(storeAddress(options.storage).url, {
      ...withoutUndefined({ token: tokenFrom(process.env) }),
      ...options,
    })
  }
  const core = await createCore(options)
  const engine = createEngine(core, options.actor ?? 'library')
  await engine.initialize()
  return engine
}

async function openNamed(url: string | undefined): Promise<Storage> {
  return openStorage(url).catch((error) => {
    throw MemoryError.is(error) ? error.during('openMemory') : error
  })
}

async function toProvider(given: MemoryOptions['embedding'] = { kind: 'local' }): Promise<EmbeddingProvider> {
  if ('embed' in given) return given
  return isAiSdkModel(given) ? aiSdkEmbedding(given) : openEmbedding(given)
}

async function createCore(options: MemoryOptions): Promise<Core> {
  const backend =
    typeof options.storage === 'object' ? options.storage : requireStorage(await openNamed(options.storage))
  const model = await toProvider(options.embedding)
  const log = options.log ?? createLogger('warn')
  const poisons = options.poisons === undefined ? defaultPoisons(model) : options.poisons
  const judge = createJudge(poisons, log)
  const storage = judgingStorage(checkedStorage(backend), judge)
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  let ulid: ReturnType<typeof monotonicFactory> | null = null
  const now = options.now ?? (() => new Date())
  const metrics = await createMetrics({
    sizes: async () => (await storage.stats()).byLayer,
    pool: () => storage.pool?.() ?? null,
  })
  const backoffs = createBackoffs(now, metrics.retried)
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    await breathe()
    return withRetry(retry, work, (error, delayMs) => {
      backoffs.noteFor('store')(error, delayMs)
      log.debug({ code: error.code, delayMs }, 'trying again')
    })
  }
  return {
    storage,
    model,
    embedder: cachedEmbedder(model, (hashes) => attempt(() => storage.embeddings(hashes)), retry, {
      onRetry: backoffs.noteFor(model.name),
      onEmbedded: metrics.embedded,
    }),
    relations: options.relations === undefined ? localRelationModel() : options.relations,
    poisons,
    judge,
    metrics,
    settings: { ...DEFAULT_SETTINGS, ...options.memory },
    budget: options.budget ?? DEFAULTS.budget,
    sessions: new SessionStates(),
    log,
    insideRun: options.insideRun ?? false,
    now,
    backoffs: () => backoffs.current(),
    // Loads Node's cryptography, which reading does without.
    nextId(at) {
      ulid ??= monotonicFactory()
      return ulid(at.getTime())
    },
    attempt,
    write: (work, signal) => attempt(() => work(signal)),
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
  anonymous: z.literal(true).optional(),
  beforeWrite: z.custom<BeforeWrite>((value) => typeof value === 'function', 'must be a function').optional(),
})
const purgeSchema = z.strictObject({ before: timeSchema.optional(), dryRun: z.boolean().default(false) })

/** Composes the engine. What not every process needs is loaded on first use. */
function createEngine(core: Core, actor: string): Nokosu {
  const { storage, model, attempt, metrics } = core
  const operator: Caller = { identifiers: null, by: actor }
  const { maxWrites, ...capabilities } = storage.capabilities
  const shutdown = async () => {
    await Promise.all([model.close?.(), core.relations?.close(), core.poisons?.close()])
    await storage.shutdown()
  }
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
      const { within, beforeWrite, ...known } = parseInput(callerSchema, { ...options, identifiers }, 'as')
      requireSome(known.identifiers, 'as')
      const caller: Caller = withoutUndefined({ ...known, by: known.by ?? actor, within })
      const bounded = within === undefined ? storage : boundedStorage(storage, within)
      const metered = beforeWrite ? meteredStorage(bounded, beforeWrite) : bounded
      // What is known of a core, such as the directory, serves all callers that have it.
      const own = metered === storage ? core : { ...core, storage: metered }
      return createOperations<OwnMemory, OwnClaim>(own, caller, metrics)
    },
    operator(by, options = {}) {
      const { beforeWrite, ...known } = parseInput(callerSchema, { ...options, identifiers: {}, by }, 'operator')
      const caller: Caller = { ...withoutUndefined(known), identifiers: null, everything: true, by }
      const own = beforeWrite ? { ...core, storage: meteredStorage(storage, beforeWrite) } : core
      return createOperations<OwnMemory, OwnClaim>(own, caller, metrics)
    },
    tokens: withSignals(
      core,
      (own) => withAudit(own, operator, (each) => tokenOperations(each, operator), 'tokens'),
      'tokens',
    ),
    initialize: () => attempt(() => storage.initialize({ name: model.name, dimensions: model.dimensions })),
    shutdown,
    [Symbol.asyncDispose]: shutdown,
    backoffs: core.backoffs,
    directory: withSignals(
      core,
      (own) => withAudit(own, operator, (each) => directoryOperations(each, operator), 'directory'),
      'directory',
    ),
    ...withSignals(core, (own) => withAudit(own, operator, (each) => upkeep(each, operator, metrics))),
  }
}

/** Operations on the whole store. */
function upkeep(core: Core, operator: Caller, { observe }: Metrics) {
  const { storage, attempt } = core
  return {
    async bindKey(key: string, asked: string) {
      await commitAll(core, { key: `bound:${fingerprint(key)}`, of: asked, by: operator.by, writes: [] })
    },
    async warm() {
      // A model that cannot be loaded is reported by the call that needs it.
      await Promise.allSettled([core.model.warm?.(), core.relations?.warm(), core.poisons?.warm?.()])
    },
    healthCheck: () => checkHealth(core),
    stats: () => observe('stats', () => attempt(() => storage.stats())),
    follow: async (changed: () => void) => (await storage.follow?.(changed)) ?? null,
    sweep: (options?: SweepOptions) =>
      observe('sweep', async () => {
        requireOperator(core, operator, 'sweeps a store')
        return (await import('./sweep.ts')).sweep(core, options)
      }),
    purge: (options: PurgeOptions = {}) =>
      observe('purge', async () => {
        requireOperator(core, operator, 'purges a store')
        const { before = core.now().toISOString(), dryRun } = parseInput(purgeSchema, options, 'purge')
        if (!dryRun) await recordAct(core, operator, 'purge', { before })
        return attempt(() => storage.purge({ before, dryRun }))
      }),
    reembed: (options?: ReembedOptions) =>
      observe('reembed', async () => {
        requireOperator(core, operator, 'computes the vectors of a store')
        return (await import('./reembed.ts')).reembed(core, options)
      }),
    audit: (request?: AuditRequest) => observe('audit', () => readAudit(core, operator, request)),
    import: (lines: AsyncIterable<string>, options?: ImportOptions) =>
      observe('import', async () => (await import('./transfer.ts')).importMemories(core, operator, lines, options)),
  } satisfies Partial<Nokosu>
}
