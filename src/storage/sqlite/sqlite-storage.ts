import { statSync } from 'node:fs'
import type { Layer } from '../../model/layer.ts'
import type { DirectoryEntry } from '../../model/records.ts'
import type { Embedding, PurgeReport, Storage, StorageStats } from '../storage.ts'
import { Connection, type Durability } from './connection.ts'
import { addEvent, listAllEvents, listEvents, putEvents } from './events.ts'
import { listInjections, putInjections, recordInjection } from './injections.ts'
import { KeywordSearch } from './keyword-search.ts'
import { commitWrites, getMemories, listChanges, listMemories, putChanges, readHistory } from './memories.ts'
import { migrate } from './migrate.ts'
import { deletePersonality, getPersonality, listPersonalities, putPersonality } from './personalities.ts'
import { type DirectoryRow, SELECT_MEMORY, toDirectoryEntry, toMemory } from './row.ts'
import { getSession, listSessions, putSession } from './sessions.ts'
import { eraseFreeSpace, listStale, purge, sessionsOf } from './upkeep.ts'
import { toVector, VectorPages, type VectorPosition } from './vector-pages.ts'
import { VectorSearch } from './vector-search.ts'

export interface SqliteOptions {
  /** A file, created when absent, or `:memory:`. */
  path: string
  durability?: Durability
}

interface Opened {
  connection: Connection
  pages: VectorPages
  vectorSearch: VectorSearch
  keywordSearch: KeywordSearch
}

/** The embedded store: one file, no server, safe for many processes. */
export function sqliteStorage({ path, durability = 'full' }: SqliteOptions): Storage {
  let opened: Opened | null = null

  function open(): Opened {
    if (opened) return opened
    const connection = Connection.open(path, durability)
    try {
      migrate(connection)
    } catch (error) {
      connection.close()
      throw error
    }
    const pages = new VectorPages(connection)
    opened = {
      connection,
      pages,
      vectorSearch: new VectorSearch(connection, pages),
      keywordSearch: new KeywordSearch(connection),
    }
    return opened
  }

  /** One write transaction over the vectors; what it cached is forgotten when it fails. */
  function write(work: (opened: Opened) => void): void {
    const store = open()
    try {
      store.connection.write(() => {
        work(store)
        store.pages.pack()
      })
    } catch (error) {
      store.pages.reset()
      throw error
    }
  }

  return {
    name: 'sqlite',
    capabilities: {
      vectorSearch: true,
      keywordSearch: true,
      bulkOperations: true,
      transactions: true,
      maxContentLength: 16_384,
    },
    async initialize() {
      open()
    },
    async shutdown() {
      opened?.connection.close()
      opened = null
    },
    async ping() {
      open().connection.get('SELECT 1 FROM memories LIMIT 1')
    },

    async commit(writes, by, options) {
      write(({ connection, pages }) => {
        commitWrites(connection, pages, writes, by, options)
        if (writes.some((entry) => entry.kind === 'insert' && entry.imported)) pages.announce()
      })
    },
    async get(ids) {
      return getMemories(open().connection, ids)
    },
    async list(query) {
      return listMemories(open().connection, query)
    },
    async history(id) {
      return readHistory(open().connection, id)
    },
    async listChanges(after, limit) {
      return listChanges(open().connection, after, limit)
    },
    async sessionsOf(ids) {
      return sessionsOf(open().connection, ids)
    },
    async deletedOf(session) {
      return open()
        .connection.all<{ content: string }>(
          `SELECT before ->> 'observation' AS content FROM changes WHERE operation = 'delete' AND before ->> 'session' = ?`,
          session,
        )
        .map((row) => row.content)
    },
    async putChanges(changes) {
      const { connection } = open()
      return connection.write(() => putChanges(connection, changes))
    },

    async searchKeyword(query) {
      return open().keywordSearch.search(query)
    },
    async searchVector(query) {
      return open().vectorSearch.search(query)
    },
    async vectors(ids, model) {
      const rows = open().connection.all<{ ulid: string; vector: Uint8Array }>(
        `SELECT m.ulid, e.vector FROM json_each(?) j JOIN memories m ON m.ulid = j.value JOIN embeddings e ON e.id = m.embedding_id
         WHERE e.model = (SELECT id FROM models WHERE name = ?)`,
        JSON.stringify(ids),
        model,
      )
      return new Map(rows.map((row) => [row.ulid, toVector(row.vector)]))
    },
    async cachedVectors(hashes, model) {
      const { connection } = open()
      return hashes.map((hash) => {
        const row = connection.get<{ vector: Uint8Array }>(
          'SELECT vector FROM embeddings WHERE model = (SELECT id FROM models WHERE name = ?) AND hash = ?',
          model,
          Buffer.from(hash, 'hex'),
        )
        return row ? toVector(row.vector) : null
      })
    },
    async cacheVectors(entries, model) {
      write(({ pages }) => {
        for (const entry of entries) pages.store({ ...entry, model })
      })
    },
    async withoutVector(model, after, limit) {
      return open().connection.map(
        toMemory,
        `SELECT ${SELECT_MEMORY} FROM memories m LEFT JOIN embeddings e ON e.id = m.embedding_id
           WHERE m.ulid > ? AND e.model IS NOT coalesce((SELECT id FROM models WHERE name = ?), 0) ORDER BY m.ulid LIMIT ?`,
        after ?? '',
        model,
        limit,
      )
    },
    async setVectors(entries: readonly { id: string; version: number; embedding: Embedding }[]) {
      write(({ connection, pages }) => {
        for (const { id, version, embedding } of entries) {
          const row = connection.get<VectorPosition>(
            'SELECT id, scope_key, vector_page FROM memories WHERE ulid = ? AND version = ?',
            id,
            version,
          )
          // Changed meanwhile: whoever changed it embeds it.
          if (row) pages.assign(row, embedding)
        }
        pages.announce()
      })
    },

    async listStale(query) {
      return listStale(open().connection, query)
    },
    async listExpired(at) {
      return open()
        .connection.all<{ ulid: string }>('SELECT ulid FROM memories WHERE expires_at <= ?', at)
        .map((row) => row.ulid)
    },
    async purge(before, dryRun) {
      let report: PurgeReport | undefined
      write(({ connection, pages }) => {
        report = purge(connection, pages, before, dryRun)
      })
      if (!dryRun && report!.memories + report!.changes > 0) eraseFreeSpace(open().connection)
      return report!
    },

    async recordInjection(injection) {
      const { connection } = open()
      connection.write(() => recordInjection(connection, injection))
    },
    async listInjections(session) {
      return listInjections(open().connection, session)
    },
    async addEvent(event) {
      const { connection } = open()
      connection.write(() => addEvent(connection, event))
    },
    async listEvents(limit) {
      return listEvents(open().connection, limit)
    },
    async listAllEvents(after, limit) {
      return listAllEvents(open().connection, after, limit)
    },
    async putInjections(injections) {
      const { connection } = open()
      return connection.write(() => putInjections(connection, injections))
    },
    async putEvents(events) {
      const { connection } = open()
      return connection.write(() => putEvents(connection, events))
    },

    async putPersonality(personality) {
      putPersonality(open().connection, personality)
    },
    async getPersonality(agentName) {
      return getPersonality(open().connection, agentName)
    },
    async listPersonalities() {
      return listPersonalities(open().connection)
    },
    async deletePersonality(agentName) {
      deletePersonality(open().connection, agentName)
    },

    async putSession(session) {
      putSession(open().connection, session)
    },
    async getSession(id) {
      return getSession(open().connection, id)
    },
    async listSessions(query) {
      return listSessions(open().connection, query)
    },
    async putDirectoryEntry(entry) {
      open().connection.run(
        `INSERT INTO directory (layer, id, team_id, org_id, company_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT (layer, id) DO UPDATE SET
           team_id = excluded.team_id, org_id = excluded.org_id, company_id = excluded.company_id`,
        entry.layer,
        entry.id,
        entry.teamId,
        entry.orgId,
        entry.companyId,
      )
    },
    async deleteDirectoryEntry(layer, id) {
      open().connection.run('DELETE FROM directory WHERE layer = ? AND id = ?', layer, id)
    },
    async getDirectoryEntry(layer, id) {
      const row = open().connection.get<DirectoryRow>(
        'SELECT layer, id, team_id, org_id, company_id FROM directory WHERE layer = ? AND id = ?',
        layer,
        id,
      )
      return row ? toDirectoryEntry(row) : null
    },
    async directory(): Promise<DirectoryEntry[]> {
      return open()
        .connection.all<DirectoryRow>('SELECT layer, id, team_id, org_id, company_id FROM directory ORDER BY layer, id')
        .map(toDirectoryEntry)
    },
    async stats() {
      const { connection } = open()
      return connection.read(() => readStats(connection, path))
    },
    async vectorCounts() {
      const rows = open().connection.all<{ name: string; n: number }>(
        `SELECT d.name, count(*) AS n FROM memories m JOIN embeddings e ON e.id = m.embedding_id JOIN models d ON d.id = e.model
         GROUP BY d.id`,
      )
      return Object.fromEntries(rows.map((row) => [row.name, row.n]))
    },
  }
}

function readStats(connection: Connection, path: string): StorageStats {
  const layers = connection.all<{ scope: Layer; n: number; active: number }>(
    'SELECT scope, count(*) AS n, sum(active) AS active FROM memories GROUP BY scope',
  )
  return {
    memories: layers.reduce((sum, row) => sum + row.n, 0),
    active: layers.reduce((sum, row) => sum + row.active, 0),
    byLayer: Object.fromEntries(layers.map((row) => [row.scope, row.n])),
    sessions: connection.get<{ n: number }>('SELECT count(*) AS n FROM sessions')!.n,
    sizeBytes: path === ':memory:' ? null : fileSize(path),
  }
}

/** The write-ahead log counts: until the next checkpoint it holds the newest memories. */
function fileSize(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}
