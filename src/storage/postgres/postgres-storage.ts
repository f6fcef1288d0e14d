import { MemoryError } from '../../model/errors.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Commit, Write } from '../commit.ts'
import type { Storage } from '../storage.ts'
import { applyCommit } from './apply-commit.ts'
import { type PgPool, poolClient, type SqlClient, translating } from './client.ts'
import { type CurrentModel, ensureModel } from './current-model.ts'
import { listDocuments } from './documents.ts'
import { storedKey } from './keys.ts'
import { getMemories, listMemories, readEmbeddings } from './memories.ts'
import { migrate } from './migrate.ts'
import { openPool } from './open-pool.ts'
import { listChanges, listEvents, listInjections, listSessions } from './records.ts'
import { search } from './search.ts'
import { purge, readStats } from './upkeep.ts'

export type { PgPool, Queries, SqlClient } from './client.ts'

/** Where the server is: a URL, a pool of `pg` that stays the caller's, or a client of another driver. */
type PostgresPlace = { url: string } | { pool: PgPool } | { client: SqlClient }

export type PostgresOptions = PostgresPlace & {
  /** Scopes of up to so many memories are compared one by one; larger ones are searched through the HNSW index. */
  exactUpTo?: number
}

const CAPABILITIES: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  maxWrites: 1000,
  maxBytes: 32_000_000,
  maxContentLength: 16_384,
}
const EXACT_UP_TO = 10_000

/** A PostgreSQL server with pgvector: many machines, many writers. */
export function postgresStorage(options: PostgresOptions): Storage {
  const { exactUpTo = EXACT_UP_TO } = options
  let opening: Promise<SqlClient> | null = null
  let opened: { client: SqlClient; model: CurrentModel } | null = null
  let isShut = false

  function ready(): { client: SqlClient; model: CurrentModel } {
    if (isShut) throw closed()
    if (opened) return opened
    throw new MemoryError('PROVIDER_ERROR', 'The store is not initialized.', { retryable: false })
  }

  return {
    name: 'postgres',
    capabilities: CAPABILITIES,

    async initialize(wanted) {
      if (isShut) throw closed()
      opening ??= connect(options)
      const client = await opening.catch((error) => {
        opening = null
        throw error
      })
      await migrate(client)
      const model = await ensureModel(client, wanted)
      if (isShut) throw closed()
      opened = { client, model }
    },
    async shutdown() {
      if (isShut) return
      isShut = true
      opened = null
      const client = await opening?.catch(() => null)
      await client?.close()
    },
    async ping() {
      await ready().client.query('SELECT 1')
    },

    async commit(commit) {
      const { client, model } = ready()
      refuseOversized(commit)
      return applyCommit(client, model, commit)
    },
    async known(keys) {
      const sql = 'SELECT key FROM once_keys WHERE key = ANY ($1::text[])'
      const rows = await ready().client.query<{ key: string }>(sql, [keys.map(storedKey)])
      const taken = new Set(rows.map((row) => row.key))
      return new Set(keys.filter((key) => taken.has(storedKey(key))))
    },

    async get(ids) {
      const { client, model } = ready()
      return getMemories(client, model, ids)
    },
    async memories(query) {
      const { client, model } = ready()
      return listMemories(client, model, query)
    },
    async search(queries) {
      const { client, model } = ready()
      return search(client, model, queries, exactUpTo)
    },
    async embeddings(hashes) {
      const { client, model } = ready()
      return readEmbeddings(client, model, hashes)
    },

    async changes(query) {
      return listChanges(ready().client, query)
    },
    async sessions(query) {
      return listSessions(ready().client, query)
    },
    async injections(query) {
      return listInjections(ready().client, query)
    },
    async events(query) {
      return listEvents(ready().client, query)
    },
    async documents(collection, keys) {
      return listDocuments(ready().client, collection, keys)
    },

    async stats() {
      return readStats(ready().client)
    },
    async purge({ before, dryRun }) {
      return purge(ready().client, before, dryRun)
    },
  }
}

async function connect(options: PostgresOptions): Promise<SqlClient> {
  if ('client' in options) return translating(options.client)
  if ('pool' in options) return translating(poolClient(options.pool))
  return translating(await openPool(options.url))
}

function closed(): MemoryError {
  return new MemoryError('PROVIDER_ERROR', 'The store is closed.', { retryable: false })
}

/** What the capabilities say, for an engine that does not look. */
function refuseOversized({ writes }: Commit): void {
  const { maxWrites, maxBytes } = CAPABILITIES
  const tooLarge = writes.length > 1 && writes.reduce((sum, write) => sum + weight(write), 0) > maxBytes
  if (writes.length <= maxWrites && !tooLarge) return
  const message = `A commit takes ${maxWrites} writes and ${maxBytes} bytes at most.`
  throw new MemoryError('UNSUPPORTED', message, { details: { maxWrites, maxBytes } })
}

/** Roughly, in bytes: only texts and metadata can be large. */
function weight(write: Write): number {
  if (write.kind !== 'insert' && write.kind !== 'update') return 0
  return write.row.memory.content.length + JSON.stringify(write.row.memory.metadata).length
}
