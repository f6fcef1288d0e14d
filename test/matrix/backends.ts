import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTables, deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { localOptions } from '../dynamodb/local-tables.ts'
import { emptySchema, postgresServer } from '../postgres/schemas.ts'

export interface Backend {
  name: string
  /** An empty store. */
  create(): Promise<BackendStore>
}

export interface BackendStore {
  /** Its address, if another process can open it. */
  url: string | null
  /** Environment that a process needs besides the address. */
  env: Record<string, string>
  open(): Storage
  destroy(): Promise<void>
}

/** Every backend, on the real servers that the tests start. */
export const BACKENDS: readonly Backend[] = [
  { name: 'reference', create: createReference },
  { name: 'sqlite', create: createSqlite },
  { name: 'postgres', create: createPostgres },
  { name: 'dynamodb', create: createDynamodb },
]

async function createReference(): Promise<BackendStore> {
  const only = referenceStorage()
  return { url: null, env: {}, open: () => only, destroy: async () => {} }
}

async function createSqlite(): Promise<BackendStore> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-matrix-'))
  const path = join(folder, 'memory.db')
  return {
    url: `sqlite:${path}`,
    env: {},
    open: () => sqliteStorage({ path }),
    destroy: async () => rmSync(folder, { recursive: true }),
  }
}

async function createPostgres(): Promise<BackendStore> {
  const { url, destroy } = await emptySchema(await postgresServer())
  return { url, env: {}, open: () => postgresStorage({ url }), destroy }
}

async function createDynamodb(): Promise<BackendStore> {
  const local = await localOptions()
  const options = { ...local, prefix: `m${randomBytes(6).toString('hex')}-` }
  await createTables({ ...options, ttl: false })
  return {
    url: `dynamodb://${options.region}?endpoint=${encodeURIComponent(options.endpoint)}&prefix=${options.prefix}`,
    env: { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    open: () => dynamodbStorage(options),
    destroy: async () => void (await deleteTables(options)),
  }
}
