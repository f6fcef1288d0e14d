import { monotonicFactory } from 'ulidx'
import { z } from 'zod'
import type { WorkflowEventInput } from '../capture/workflow-events.ts'
import { cachedEmbedder } from '../embedding/cached-embedder.ts'
import { type EmbeddingConfig, openEmbedding } from '../embedding/open-embedding.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { Candidate, Refusal } from '../model/candidate.ts'
import { completeIdentifiers, directoryEntries } from '../model/directory.ts'
import { MemoryError } from '../model/errors.ts'
import { type Identifiers, type Layer, scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { MemoryProvider } from '../model/provider.ts'
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from '../model/retry.ts'
import { identifiersSchema, idSchema, text } from '../model/schema.ts'
import type { Change, DirectoryEntry, Session } from '../model/records.ts'
import { createLogger, type Logger } from '../observe/log.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Injection, PurgeReport, Storage, StorageStats } from '../storage/storage.ts'
import type { CaptureReport, CaptureRequest } from './capture.ts'
import type { Context, ContextRequest } from './context.ts'
import { type Core, DEFAULT_SETTINGS, type MemorySettings, withoutUndefined } from './core.ts'
import { memoryOperations } from './memories.ts'
import { type Personalities, personalities } from './personalities.ts'
import type { ReembedOptions } from './reembed.ts'
import type { Outcome, RememberTarget } from './remember.ts'
import { countByLayer, searchMemories } from './search.ts'
import type { SweepOptions, SweepReport } from './sweep.ts'

export interface MemoryOptions {
  /** A store, or its URL: `sqlite:path`. Default: `.nokosu/memory.db` here. */
  storage?: Storage | string
  embedding?: EmbeddingProvider | EmbeddingConfig
  /** Who belongs to whom, besides what the store's own directory says. */
  directory?: readonly DirectoryEntry[]
  retry?: Partial<RetryPolicy>
  /** What is kept and for how long. */
  memory?: Partial<MemorySettings>
  /** Tokens of a block of memories in a prompt. Default: 2,000. */
  budget?: number
  /** Who is writing, for the history. */
  actor?: string
  now?: () => Date
  log?: Logger
}

/** The engine: the provider contract, and what only the whole can offer. */
export interface Nokosu extends MemoryProvider {
  readonly storage: Storage
  readonly embedding: EmbeddingProvider
  readonly settings: MemorySettings
  /** Reads a run's output (Claude Code's stream-json or transcript, or plain text) and remembers what it left behind. */
  capture(source: AsyncIterable<Uint8Array>, request: CaptureRequest): Promise<CaptureReport>
  /** Remembers what is worth it of a workflow event: a submission, rejection, approval, follow-up, decision or hint. */
  record(
    event: WorkflowEventInput,
    target?: Pick<RememberTarget, 'session' | 'dryRun'>,
  ): Promise<{ outcomes: Outcome[]; refusals: Refusal[] }>
  /** Takes observations through guard and admit, as capture does. */
  remember(candidates: readonly Candidate[], target: RememberTarget): Promise<Outcome[]>
  /** The block of memories that an agent is shown. */
  context(request?: ContextRequest): Promise<Context>
  /** What a session was shown, in order. */
  injections(session: string): Promise<Injection[]>
  /** Decay, caps and expiry, over everything. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** The caps of one scope, as `record` applies them by itself; returns how many memories went inactive. */
  prune(scope: { layer: Layer; identifiers: Identifiers }): Promise<number>
  /** Removes for good, history included, what has been inactive or deleted since before `before`. */
  purge(options?: { before?: Date; dryRun?: boolean }): Promise<PurgeReport>
  /** Every change to a memory, oldest first; of deleted ones too. */
  history(id: string): Promise<Change<Memory>[]>
  sessions(query?: { limit?: number; before?: string }): Promise<{ sessions: Session[]; totalCount: number }>
  /** Says where a project, team or org belongs: `{projectId, teamId, orgId, companyId}`, any two or more. */
  setDirectory(chain: Identifiers): Promise<DirectoryEntry[]>
  directory(): Promise<DirectoryEntry[]>
  /** Who the agents are, across projects. */
  readonly personality: Personalities
  stats(): Promise<StorageStats & { vectors: { model: string; missing: number; others: Record<string, number> } }>
  /** Gives every memory a vector of the current model. Can be interrupted and run again. */
  reembed(options?: ReembedOptions): Promise<{ embedded: number }>
}

/** Opens a memory, ready to use. Call `shutdown()` when done. */
export async function openMemory(options: MemoryOptions = {}): Promise<Nokosu> {
  const core = await createCore(options)
  const metrics = createMetrics(async () => (await core.storage.stats()).byLayer)
  const engine = observed(createEngine(core, metrics), metrics)
  await engine.initialize()
  return engine
}

const DEFAULT_BUDGET = 2000

async function createCore(options: MemoryOptions): Promise<Core> {
  const storage = typeof options.storage === 'object' ? options.storage : await openStorage(options.storage)
  const provider =
    options.embedding && 'embed' in options.embedding
      ? options.embedding
      : await openEmbedding(options.embedding ?? { kind: 'local' })
  const log = options.log ?? createLogger('warn')
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  const ulid = monotonicFactory()
  const attempt = <T>(work: () => Promise<T>): Promise<T> =>
    withRetry(retry, work, (error, delayMs) => log.debug({ code: error.code, delayMs }, 'trying again'))
  const cache = {
    cachedVectors: (hashes: readonly string[], model: string) => attempt(() => storage.cachedVectors(hashes, model)),
  }
  return {
    storage,
    provider,
    embedder: cachedEmbedder(provider, cache, retry),
    settings: { ...DEFAULT_SETTINGS, ...options.memory },
    budget: options.budget ?? DEFAULT_BUDGET,
    actor: options.actor ?? 'library',
    log,
    now: options.now ?? (() => new Date()),
    nextId: (at) => ulid(at.getTime()),
    attempt,
    complete: (identifiers) =>
      completeIdentifiers(identifiers, async (layer, id) => {
        const configured = options.directory?.find((entry) => entry.layer === layer && entry.id === id)
        return configured ?? attempt(() => storage.getDirectoryEntry(layer, id))
      }),
  }
}

const WELL_MS = 60_000

const idArgument = z.strictObject({ id: idSchema })
const sessionsArgument = z.strictObject({ limit: z.int().min(1).default(50), before: idSchema.optional() })

/** Composes the stages. What not every process needs is loaded by its first use. */
function createEngine(core: Core, metrics: Metrics): Nokosu {
  const { storage, provider, attempt } = core
  const { maxContentLength } = storage.capabilities
  const textArgument = z.strictObject({ text: text(maxContentLength, 'CONTENT_TOO_LONG') })

  // Counting reads every memory, and health is asked for often: once found well, it holds for a while.
  let wellUntil = Number.NEGATIVE_INFINITY
  async function otherModels(): Promise<string[]> {
    if (performance.now() < wellUntil) return []
    const counts = await storage.vectorCounts()
    if (counts[provider.name]) wellUntil = performance.now() + WELL_MS
    return counts[provider.name] ? [] : Object.keys(counts)
  }

  const engine: Nokosu = {
    storage,
    embedding: provider,
    settings: core.settings,
    capabilities: { ...storage.capabilities, embeddingDimensions: provider.dimensions, distanceMetrics: ['cosine'] },
    ...memoryOperations(core),

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
    async search(request) {
      const results = await searchMemories(core, request)
      metrics.searched(countByLayer(results))
      return results
    },
    async generateEmbedding(input) {
      const content = parseInput(textArgument, { text: input }, 'generateEmbedding').text
      // A copy: the original stays in the cache.
      return (await core.embedder.embed([content]))[0]!.vector.slice()
    },

    async capture(source, request) {
      return (await import('./capture.ts')).capture(core, source, request)
    },
    async record(event, target) {
      return (await import('./capture.ts')).recordEvent(core, event, target)
    },
    async remember(candidates, target) {
      return (await import('./remember.ts')).remember(core, candidates, target)
    },
    async context(request = {}) {
      const { buildContext, contextSchema } = await import('./context.ts')
      return buildContext(core, parseInput(contextSchema, request, 'context'))
    },
    async injections(session) {
      parseInput(idArgument, { id: session }, 'injections')
      return attempt(() => storage.listInjections(session))
    },
    async sweep(options) {
      return (await import('./sweep.ts')).sweep(core, options)
    },
    async prune({ layer, identifiers }) {
      const { owner, project } = scopeOf(layer, identifiers)
      const { retire } = await import('./sweep.ts')
      return retire(core, {}, [{ layer, owner, projects: [project] }])
    },
    async purge({ before = core.now(), dryRun = false } = {}) {
      return attempt(() => storage.purge(before.toISOString(), dryRun))
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
    personality: personalities(core),
    async stats() {
      const [stats, counts] = await attempt(() => Promise.all([storage.stats(), storage.vectorCounts()]))
      const { [provider.name]: own = 0, ...others } = counts
      return { ...stats, vectors: { model: provider.name, missing: stats.memories - own, others } }
    },
    async reembed(options = {}) {
      const { vectors } = await engine.stats()
      return (await import('./reembed.ts')).reembed(core, vectors.missing, options)
    },
  }
  return engine
}

const OBSERVED = [
  'add',
  'search',
  'get',
  'update',
  'delete',
  'list',
  'bulkAdd',
  'bulkDelete',
  'generateEmbedding',
  'capture',
  'record',
  'remember',
  'context',
  'sweep',
  'prune',
  'purge',
] as const

/** Every operation is counted and timed, and its errors name it. */
function observed(engine: Nokosu, { observe }: Metrics): Nokosu {
  const wrapped = Object.fromEntries(
    OBSERVED.map((name) => {
      const operation = engine[name] as (...values: unknown[]) => Promise<unknown>
      return [name, (...values: unknown[]) => observe(name, () => operation(...values))]
    }),
  )
  return { ...engine, ...wrapped }
}

function modelChanged(others: readonly string[], current: string): string {
  return `The memories were embedded with ${others.join(', ')}, and the model is now ${current}. Run 'nokosu reembed'.`
}
