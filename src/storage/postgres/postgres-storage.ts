import { MemoryError } from '../../model/errors.ts'
import type { Capabilities } from '../capabilities.ts'
import { notInitialized, refuseOversized, shutDown, withoutRetry } from '../handle.ts'
import { selectDocuments, toDocument } from '../sql/documents.ts'
import type { Storage } from '../storage.ts'
import { applyCommit } from './apply-commit.ts'
import { poolClient, type SqlClient, translating } from './client.ts'
import { type CurrentModel, ensureModel } from './current-model.ts'
import { ask } from './dialect.ts'
import { knownKeys } from './keys.ts'
import { getMemories, listMemories, readEmbeddings } from './memories.ts'
import { assertKnown, prepareSchema, REQUIRED_STEP } from './migrate.ts'
import { CHANNEL, Notifier } from './notify.ts'
import { openPool, readAddress } from './open-pool.ts'
import type { PgPool } from './pg-pool.ts'
import { prune } from './prune.ts'
import { listChanges, listEvents, listInjections, listSessions } from './records.ts'
import { type Searching, search } from './search.ts'
import { tallyMemories } from './tally.ts'
import { TokenCounts } from './token-counts.ts'
import { isSilence } from './translate-error.ts'
import { upgrade } from './upgrade.ts'
import { purge, readStats } from './upkeep.ts'
import { tendIndexes } from './vector-index.ts'

export type { Queries, SqlClient } from './client.ts'
export type { PgPool } from './pg-pool.ts'

/** A URL, a `pg` pool that the caller owns, or a client of another driver. */
type PostgresPlace = { url: string } | { pool: PgPool } | { client: SqlClient }

export type PostgresOptions = PostgresPlace & {
  /** Scopes up to this many memories are compared exactly; larger ones use the HNSW index, if there is one. */
  exactUpTo?: number
}

const CAPABILITIES: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  maxWrites: 1000,
  maxBytes: 32_000_000,
  maxContentLength: 16_384,
}
const EXACT_UP_TO = 2000

interface Opened {
  client: Required<SqlClient>
  model: CurrentModel
  notifier: Notifier
  counts: TokenCounts
  scopes: Map<string, number>
  places: Searching['places']
}

/** A store on a PostgreSQL server with pgvector: many machines, many writers. */
export function postgresStorage(options: PostgresOptions): Storage {
  const { exactUpTo = EXACT_UP_TO } = options
  let opening: Promise<Required<SqlClient>> | null = null
  let opened: Opened | null = null
  let isShut = false
  const underWay = new Set<Promise<unknown>>()

  /** Runs `work` on the open store. Work in progress finishes before a shutdown. */
  async function use<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    if (isShut) throw shutDown()
    if (!opened) throw notInitialized()
    const done = work(opened)
    underWay.add(done)
    try {
      return await done
    } finally {
      underWay.delete(done)
    }
  }

  /** With a pool of its own, because a statement may take longer than any other. */
  async function patiently<T>(work: (client: SqlClient) => Promise<T>): Promise<T> {
    if (isShut) throw shutDown()
    const client = await connect(options, 0)
    try {
      return await work(client)
    } finally {
      if ('url' in options) await client.close()
    }
  }

  return {
    name: 'postgres',
    capabilities: CAPABILITIES,

    async initialize(wanted) {
      if (isShut) throw shutDown()
      opening ??= connect(options)
      const client = await opening.catch((error) => {
        opening = null
        throw error
      })
      await prepareSchema(client).catch(giveUpOnSilence)
      const model = await ensureModel(client, wanted)
      if (isShut) throw shutDown()
      opened ??= {
        client,
        model,
        notifier: new Notifier(client),
        counts: new TokenCounts(),
        scopes: new Map(),
        places: new Map(),
      }
      opened.model = model
    },
    async shutdown() {
      if (isShut) return
      isShut = true
      await Promise.allSettled(underWay)
      await opened?.notifier.flush()
      opened = null
      const client = await opening?.catch(() => null)
      await client?.close()
    },
    ping: () =>
      use(async ({ client }) => {
        const [row] = await client.probe<{ required: number }>(`SELECT ${REQUIRED_STEP} AS required`)
        assertKnown(row!.required)
      }),

    commit: (commit) =>
      use(async ({ client, model, notifier, scopes }) => {
        refuseOversized(commit, CAPABILITIES)
        const result = await applyCommit(client, model, scopes, commit)
        if (result.applied && !result.repeated && result.changed > 0) notifier.tell()
        return result
      }),
    known: (keys) => use(({ client }) => knownKeys(client, keys)),

    get: (ids) => use(({ client, model }) => getMemories(client, model, ids)),
    memories: (query) => use(({ client, model }) => listMemories(client, model, query)),
    search: (queries) => use((opened) => search({ ...opened, exactUpTo }, queries)),
    embeddings: (hashes) => use(({ client, model }) => readEmbeddings(client, model, hashes)),

    changes: (query) => use(({ client }) => listChanges(client, query)),
    sessions: (query) => use(({ client }) => listSessions(client, query)),
    injections: (query) => use(({ client }) => listInjections(client, query)),
    events: (query) => use(({ client }) => listEvents(client, query)),
    documents: (collection, keys) =>
      use(async ({ client }) => {
        const rows = await ask<Record<string, unknown>>(client, selectDocuments(collection, keys))
        return rows.map((row) => toDocument(collection, row, (value) => value))
      }),

    stats: () => use(({ client }) => readStats(client)),
    tally: (query) => use(({ client }) => tallyMemories(client, query)),
    purge: ({ before, dryRun }) =>
      use(async ({ client, notifier }) => {
        const report = await purge(client, before, dryRun)
        if (!dryRun) notifier.tell()
        return report
      }),
    prune: ({ dryRun, ...before }) => use(({ client }) => prune(client, before, dryRun)),

    pool: () => opened?.client.pool() ?? {},
    upgrade: (how) => patiently((client) => upgrade(client, exactUpTo, how)),
    async tend(how) {
      const done = await patiently((client) => tendIndexes(client, exactUpTo, how))
      // The next search looks for the index.
      if (opened) opened.model.lookedAt = Number.NEGATIVE_INFINITY
      return done
    },

    follow: (changed) => use(({ client }) => client.listen(CHANNEL, changed)),
  }
}

const THE_SERVER = 'The PostgreSQL server'

async function connect(options: PostgresOptions, timeoutMs?: number): Promise<Required<SqlClient>> {
  if ('client' in options) return translating(options.client, THE_SERVER)
  if ('pool' in options) return translating(poolClient(options.pool), THE_SERVER)
  const server = `${THE_SERVER} at ${readAddress(options.url)}`
  return translating(await openPool(options.url, timeoutMs), server)
}

function giveUpOnSilence(error: unknown): never {
  throw MemoryError.is(error) && isSilence(error) ? withoutRetry(error) : error
}
