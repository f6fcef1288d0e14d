/** A store of each kind with so many memories of one project: for growth.ts and agents.ts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Nokosu } from '../src/engine/nokosu.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { createTables, dynamodbStorage } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { postgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { startLocalServer } from '../test/dynamodb/local-server.ts'
import { startPostgres } from '../test/postgres/start-postgres.ts'
import { fillTable } from './dynamodb-table.ts'
import { bareClient } from './postgres-bare.ts'
import { fill, instantEmbedding } from './synthetic.ts'

export interface FilledStore {
  /** Opens a store with so many memories, and hands its engine to `work`. */
  with<T>(size: number, work: (memory: Nokosu) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** By the name in the tables. */
export const STORES: Readonly<Record<string, () => Promise<FilledStore>>> = {
  SQLite: async () => ({
    async with(size, work) {
      const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
      try {
        const storage = sqliteStorage({ path: join(folder, 'memory.db') })
        return await opened(storage, () => fill(storage, size), work)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
    stop: async () => {},
  }),
  PostgreSQL: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
    const server = await startPostgres(folder, { survives: 'power cut' })
    let number = 0
    return {
      async with(size, work) {
        const name = `bench_${number++}`
        const admin = new pg.Client({ connectionString: server.url })
        await admin.connect()
        await admin.query(`CREATE DATABASE ${name}`)
        await admin.end()
        const url = server.url.replace(/[^/]+$/, name)
        const storage = postgresStorage({ url })
        const fillFast = async () => {
          await fill(storage, size)
          await storage.tend?.({ dryRun: false })
          const bare = await bareClient(url)
          await bare.analyze()
          await bare.close()
        }
        return opened(storage, fillFast, work)
      },
      async stop() {
        server.stop('fast')
        rmSync(folder, { recursive: true })
      },
    }
  },
  'DynamoDB Local': async () => {
    const server = await startLocalServer()
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    let number = 0
    return {
      async with(size, work) {
        const place = { region: 'local', endpoint: server.endpoint, credentials, timeoutMs: 60_000 }
        const options = { ...place, prefix: `bench-${number++}-` }
        await createTables({ ...options, ttl: false })
        return opened(dynamodbStorage(options), () => fillTable(options, size), work)
      },
      stop: () => server.stop(),
    }
  },
}

async function opened<T>(storage: Storage, fillIt: () => Promise<void>, work: (memory: Nokosu) => Promise<T>) {
  const memory = await openMemory({ storage, embedding: instantEmbedding(), relations: null })
  try {
    await fillIt()
    return await work(memory)
  } finally {
    await memory.shutdown()
  }
}
