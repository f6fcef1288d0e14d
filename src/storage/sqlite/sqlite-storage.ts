import { MemoryError } from '../../model/errors.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Commit, Write } from '../commit.ts'
import type { Storage } from '../storage.ts'
import { applyCommit, CommitRefused } from './apply-commit.ts'
import { listChanges } from './changes.ts'
import { Connection, closed, type Durability } from './connection.ts'
import { CurrentModel } from './current-model.ts'
import { listDocuments } from './documents.ts'
import { listEvents } from './events.ts'
import { listInjections } from './injections.ts'
import { getMemories, listMemories, readEmbeddings } from './memories.ts'
import { migrate } from './migrate.ts'
import { Search } from './search.ts'
import { listSessions } from './sessions.ts'
import { tallyMemories } from './tally.ts'
import { hasUnindexed, indexForeignRows } from './token-index.ts'
import { isBusy, isReadOnly } from './translate-error.ts'
import { eraseRemoved, readStats, removeForGood } from './upkeep.ts'
import { VectorPages } from './vector-pages.ts'

export interface SqliteOptions {
  /** A file, created when absent, or `:memory:`. */
  path: string
  durability?: Durability
}

const CAPABILITIES: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  // One commit is one piece of work for the process: about a tenth of a second.
  maxWrites: 1000,
  maxBytes: 64_000_000,
  maxContentLength: 16_384,
}

interface Opened {
  connection: Connection
  model: CurrentModel
  pages: VectorPages
  search: Search
}

/** The embedded store: one file, no server, safe for many processes. */
export function sqliteStorage({ path, durability = 'full' }: SqliteOptions): Storage {
  let opening: Promise<Connection> | null = null
  let opened: Opened | null = null
  let isShut = false

  function ready(): Opened {
    if (isShut) throw closed()
    if (opened) return opened
    throw new MemoryError('PROVIDER_ERROR', 'The store is not initialized.', { retryable: false })
  }

  /** One write transaction over the vectors; what it cached is forgotten when it fails. */
  async function write<T>(work: (store: Opened) => T, patienceMs?: number): Promise<T> {
    const store = ready()
    try {
      return await store.connection.write(() => {
        const result = work(store)
        store.pages.pack()
        return result
      }, patienceMs)
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

  /** What other tools wrote cannot be found by token before. Who cannot write now searches without it. */
  async function indexBeforeSearch(): Promise<void> {
    try {
      await write(({ connection }) => indexForeignRows(connection), INDEXING_PATIENCE_MS)
    } catch (error) {
      if (!isBusy(error) && !isReadOnly(error)) throw error
    }
  }

  return {
    name: 'sqlite',
    capabilities: CAPABILITIES,

    async initialize(wanted) {
      if (isShut) throw closed()
      opening ??= openConnection(path, durability)
      const connection = await opening.catch((error) => {
        opening = null
        throw error
      })
      if (isShut) {
        connection.close()
        throw closed()
      }
      const model = new CurrentModel(connection, wanted)
      opened = { connection, model, pages: new VectorPages(connection, model), search: new Search(connection, model) }
    },
    async shutdown() {
      isShut = true
      opened?.connection.close()
      opened = null
    },
    async ping() {
      await ready().connection.check()
      await read(({ connection }) => connection.get('SELECT 1 FROM memories LIMIT 1'))
    },

    async commit(commit) {
      refuseOversized(commit)
      try {
        return await write(({ connection, pages }) => {
          indexForeignRows(connection)
          return applyCommit(connection, pages, commit)
        })
      } catch (error) {
        if (error instanceof CommitRefused) return { applied: false, failures: error.failures }
        throw error
      }
    },
    async known(keys) {
      const rows = await read(({ connection }) =>
        connection.all<{ key: string }>(
          'SELECT key FROM once_keys WHERE key IN (SELECT value FROM json_each(?))',
          JSON.stringify(keys),
        ),
      )
      return new Set(rows.map((row) => row.key))
    },

    async get(ids) {
      return read(({ connection, model }) => getMemories(connection, model, ids))
    },
    async memories(query) {
      return read(({ connection, model }) => listMemories(connection, model, query))
    },
    async search(queries) {
      const byToken = queries.some((query) => query.tokens.length > 0)
      const found = await read(({ connection, search }) =>
        byToken && hasUnindexed(connection) ? null : search.answer(queries),
      )
      if (found) return found
      await indexBeforeSearch()
      return read(({ search }) => search.answer(queries))
    },
    async embeddings(hashes) {
      return read(({ connection, model }) => readEmbeddings(connection, model, hashes))
    },

    async changes(query) {
      return read(({ connection }) => listChanges(connection, query))
    },
    async sessions(query) {
      return read(({ connection }) => listSessions(connection, query))
    },
    async injections(query) {
      return read(({ connection }) => listInjections(connection, query))
    },
    async events(query) {
      return read(({ connection }) => listEvents(connection, query))
    },
    async documents(collection, keys) {
      return read(({ connection }) => listDocuments(connection, collection, keys))
    },

    async stats() {
      return read(({ connection }) => readStats(connection, path))
    },
    async tally(query) {
      return read(({ connection }) => tallyMemories(connection, query))
    },
    async purge({ before, dryRun }) {
      const removed = await write(({ connection, pages }) => {
        indexForeignRows(connection)
        return removeForGood(connection, pages, before, dryRun)
      })
      const remains = dryRun ? null : await eraseRemoved(ready().connection)
      return { ...removed, erased: remains === null, remains }
    },
  }
}

async function openConnection(path: string, durability: Durability): Promise<Connection> {
  const connection = await Connection.open(path, durability)
  try {
    await migrate(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** How long a search waits for its turn to index. */
const INDEXING_PATIENCE_MS = 1000

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
