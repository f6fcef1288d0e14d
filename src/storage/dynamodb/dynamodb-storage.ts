import type { Capabilities } from '../capabilities.ts'
import { notInitialized, shutDown } from '../handle.ts'
import type { Storage, VectorModel } from '../storage.ts'
import { applyCommit } from './apply-commit.ts'
import { Connection, type DynamodbOptions } from './connection.ts'
import { readStats } from './counters.ts'
import { LocalCopies } from './local-copies.ts'
import { locate } from './locate.ts'
import { listMemories, readEmbeddings, searchMemories, tallyMemories } from './memories.ts'
import { Partitions } from './partitions.ts'
import { MOST_CONTENT } from './plain-item.ts'
import { prune } from './prune.ts'
import { purge } from './purge.ts'
import { readChanges, readDocuments, readEvents, readInjections, readSessions } from './records.ts'
import { repairIndex } from './repair-index.ts'
import { toStored } from './search.ts'
import { readOnce } from './snapshot.ts'
import { upgradeTables } from './tables.ts'
import { giveUpOnSilence } from './translate-error.ts'
import { Vectors } from './vectors.ts'
import { WholeStore } from './whole-store.ts'

export type { DynamodbOptions } from './connection.ts'
export { dynamodbOptions } from './store-url.ts'
export { createTables, deleteTables, describeTables, type TableDescription, type TableOptions } from './tables.ts'

/**
 * A transaction is limited to 100 items and 4 MB. One write takes at most nine items: an insert writes the memory,
 * pointer, history, vector, two once-keys, a counter and a feed entry; a move writes both places, pointer, history,
 * vector, two counters and two feed entries. Two of them contain the text.
 */
const CAPABILITIES: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  maxWrites: 10,
  maxBytes: 1_000_000,
  maxContentLength: MOST_CONTENT,
}

/** Memory in DynamoDB tables that many machines share. The AWS SDK is loaded when it is first used. */
export function dynamodbStorage(options: DynamodbOptions = {}): Storage {
  const connection = new Connection(options)
  const vectors = new Vectors(connection, options)
  const partitions = new Partitions(connection, new LocalCopies(options), vectors)
  const whole = new WholeStore(connection)
  let open = true

  const refuseWhenShut = () => {
    if (!open) throw shutDown()
  }
  const current = (): VectorModel => {
    refuseWhenShut()
    if (connection.model) return connection.model
    throw notInitialized()
  }
  const ready = (): Connection => {
    current()
    return connection
  }

  return {
    name: 'dynamodb',
    capabilities: CAPABILITIES,

    async initialize(wanted) {
      refuseWhenShut()
      await connection.touch().catch(giveUpOnSilence)
      partitions.forget()
      connection.model = { ...wanted }
    },
    async shutdown() {
      if (!open) return
      open = false
      await partitions.settle()
      await Promise.all([connection.close(), vectors.close()])
    },
    async ping() {
      await ready().touch()
    },

    async commit(commit) {
      const { name } = current()
      return applyCommit(connection, commit, name, partitions)
    },
    known: async (keys) => readOnce(ready(), keys),

    async get(ids) {
      const { name } = current()
      const found = await locate(connection, ids)
      return [...found.values()].map((stored) => toStored(stored, name))
    },
    async memories(query) {
      const { name } = current()
      const { scopes } = query
      return scopes === null ? whole.list(query, name) : listMemories(partitions, scopes, query, name)
    },
    search: async (queries) => searchMemories(connection, partitions, queries, current()),
    embeddings: async (hashes) => readEmbeddings(connection, hashes, current()),

    changes: async (query) => readChanges(ready(), query),
    sessions: async (query) => readSessions(ready(), query),
    injections: async (query) => readInjections(ready(), query),
    events: async (query) => readEvents(ready(), query),
    documents: async (collection, keys) => readDocuments(ready(), collection, keys),

    stats: async () => readStats(ready()),
    tally: async (query) => tallyMemories(ready(), partitions, query),
    async purge({ before, dryRun }) {
      const report = await purge(ready(), partitions.lanes, before, dryRun, vectors)
      if (!dryRun) await partitions.erase()
      return report
    },
    prune: async ({ dryRun, ...before }) => prune(ready(), before, dryRun),
    async upgrade({ dryRun }) {
      refuseWhenShut()
      return upgradeTables(options, dryRun)
    },
    ...(options.vectors && {
      async indexProblem() {
        current()
        return vectors.problem()
      },
      async tend({ dryRun }) {
        current()
        return dryRun ? [] : repairIndex(partitions)
      },
    }),
  }
}
