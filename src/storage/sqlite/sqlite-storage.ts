import type { Capabilities } from '../capabilities.ts'
import { notInitialized, refuseOversized, shutDown } from '../handle.ts'
import { selectDocuments, toDocument } from '../sql/documents.ts'
import { sql } from '../sql/sql.ts'
import type { Storage } from '../storage.ts'
import { Connection, type Durability, type Patience } from './connection.ts'
import { CurrentModel } from './current-model.ts'
import { listed } from './dialect.ts'
import { getMemories, listMemories, readEmbeddings } from './memories.ts'
import { prune } from './prune.ts'
import { listChanges, listEvents, listInjections, listSessions } from './records.ts'
import { readJson } from './row.ts'
import { assertKnown, isCurrent } from './schema.ts'
import type { Search } from './search.ts'
import { tallyMemories } from './tally.ts'
import { hasUnindexed, indexForeignRows } from './token-index.ts'
import { isBusy, isReadOnly } from './translate-error.ts'
import { eraseRemoved, readStats, removeForGood } from './upkeep.ts'
import { VectorPages } from './vector-pages.ts'

export interface SqliteOptions {
  /** A file, created if it does not exist, or `:memory:`. */
  path: string
  durability?: Durability
}

const CAPABILITIES: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  // A commit blocks the event loop: this limits it to about a tenth of a second.
  maxWrites: 1000,
  maxBytes: 1_000_000,
  maxContentLength: 16_384,
}

interface Opened {
  connection: Connection
  model: CurrentModel
  pages: VectorPages
  search: Search | null
}

/** The embedded store: one file, no server, safe for many processes. */
export function sqliteStorage({ path, durability = 'full' }: SqliteOptions): Storage {
  let opening: Promise<Connection> | null = null
  let opened: Opened | null = null
  let isShut = false

  function ready(): Opened {
    if (isShut) throw shutDown()
    if (opened) return opened
    throw notInitialized()
  }

  /** One write transaction; clears the vector caches if it fails. */
  async function write<T>(work: (store: Opened) => T, patience?: Patience): Promise<T> {
    const store = ready()
    try {
      return await store.connection.write(() => {
        const result = work(store)
        store.pages.pack()
        return result
      }, patience)
    } catch (error) {
      store.pages.reset()
      store.model.reset()
      throw error
    }
  }

  async function read<T>(work: (store: Opened) => T): Promise<T> {
    const store = ready()
    return store.connection.read(() => work(store))
  }

  async function loadSearch(): Promise<Search> {
    const { Search } = await import('./search.ts')
    const store = ready()
    store.search ??= new Search(store.connection, store.model)
    return store.search
  }

  /**
   * Rows of other tools must be indexed before they can be found by token. A process that cannot write now searches
   * without them.
   */
  async function indexBeforeSearch(): Promise<void> {
    try {
      await write(({ connection }) => indexForeignRows(connection), { patienceMs: INDEXING_PATIENCE_MS })
    } catch (error) {
      if (!isBusy(error) && !isReadOnly(error)) throw error
    }
  }

  return {
    name: 'sqlite',
    capabilities: CAPABILITIES,

    async initialize(wanted) {
      if (isShut) throw shutDown()
      opening ??= openConnection(path, durability)
      const connection = await opening.catch((error) => {
        opening = null
        throw error
      })
      if (isShut) {
        connection.close()
        throw shutDown()
      }
      const model = new CurrentModel(connection, wanted)
      opened = { connection, model, pages: new VectorPages(connection, model), search: null }
    },
    async shutdown() {
      isShut = true
      opened?.connection.close()
      opened = null
    },
    async ping() {
      await ready().connection.check()
      await read(({ connection }) => {
        assertKnown(connection)
        return connection.get('SELECT 1 FROM memories LIMIT 1')
      })
    },

    async commit(commit, signal) {
      refuseOversized(commit, CAPABILITIES)
      const { applyCommit } = await import('./apply-commit.ts')
      return write(
        ({ connection, pages }) => {
          assertKnown(connection)
          indexForeignRows(connection)
          return applyCommit(connection, pages, commit)
        },
        { signal },
      )
    },
    async known(keys) {
      const query = sql`SELECT key FROM once_keys WHERE key IN ${listed(keys)}`
      const rows = await read(({ connection }) => connection.all<{ key: string }>(query))
      return new Set(rows.map((row) => row.key))
    },

    get: (ids) => read(({ connection, model }) => getMemories(connection, model, ids)),
    memories: (query) => read(({ connection, model }) => listMemories(connection, model, query)),
    async search(queries) {
      const byToken = queries.some((query) => query.tokens.length > 0)
      const search = await loadSearch()
      const found = await read(({ connection }) =>
        byToken && hasUnindexed(connection) ? null : search.answer(queries),
      )
      if (found) return found
      await indexBeforeSearch()
      return read(() => search.answer(queries))
    },
    embeddings: (hashes) => read(({ connection, model }) => readEmbeddings(connection, model, hashes)),

    changes: (query) => read(({ connection }) => listChanges(connection, query)),
    sessions: (query) => read(({ connection }) => listSessions(connection, query)),
    injections: (query) => read(({ connection }) => listInjections(connection, query)),
    events: (query) => read(({ connection }) => listEvents(connection, query)),
    documents: (collection, keys) =>
      read(({ connection }) =>
        connection.map(
          (row: Record<string, unknown>) => toDocument(collection, row, readJson),
          selectDocuments(collection, keys),
        ),
      ),

    stats: () => read(({ connection }) => readStats(connection, path)),
    tally: (query) => read(({ connection }) => tallyMemories(connection, query)),
    async purge({ before, dryRun }) {
      const removed = await write(({ connection, pages }) => {
        indexForeignRows(connection)
        return removeForGood(connection, pages, before, dryRun)
      })
      const remains = dryRun ? null : await eraseRemoved(ready().connection)
      return { ...removed, erased: remains === null, remains }
    },
    prune: ({ dryRun, ...before }) => write(({ connection }) => prune(connection, before, dryRun)),
  }
}

async function openConnection(path: string, durability: Durability): Promise<Connection> {
  const connection = await Connection.open(path, durability)
  try {
    if (!(await connection.read(() => isCurrent(connection)))) await (await import('./migrate.ts')).migrate(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** How long a search waits for the lock to index. */
const INDEXING_PATIENCE_MS = 1000
