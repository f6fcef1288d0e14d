import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { serve } from '../../src/http/serve.ts'
import { storageHost } from '../../src/http/storage/storage-host.ts'
import { createLogger } from '../../src/observe/log.ts'
import type { Capabilities } from '../../src/storage/capabilities.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type ConformanceStore, storageConformance } from '../../src/testing/index.ts'

/** A store behind a real server on a port of its own, used as other machines use it. */
async function served(open: () => Promise<Storage>, destroy: () => Promise<void>): Promise<ConformanceStore> {
  const memory = await openMemory({ storage: await open(), embedding: hashingEmbedding(), relations: null })
  const host = storageHost(open)
  const metrics = { collect: async () => '', close: async () => {} }
  const about = { metrics, log: createLogger('silent'), store: 'test', command: 'nokosu', project: null }
  const server = await serve({ memory, storageHost: host, ...about, host: '127.0.0.1', port: 0 })
  return {
    open: () => openStorage(server.url),
    async destroy() {
      await server.close()
      await host.close()
      await memory.shutdown()
      await destroy()
    },
  }
}

storageConformance({
  name: 'sqlite by URL',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'nokosu-http-'))
    const open = async () => sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' })
    return served(open, () => rm(folder, { recursive: true }))
  },
})

const LITTLE: Partial<Capabilities> = { keywordSearch: false, vectorSearch: false, maxWrites: 7, maxBytes: 20_000 }

storageConformance({
  name: 'by URL, of a store that can do little',
  async create() {
    const shared = referenceData()
    return served(
      async () => referenceStorage({ shared, mode: LITTLE }),
      async () => {},
    )
  },
})
