import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import type { ConformanceStore } from '../../src/testing/index.ts'
import { askDesk } from '../on-demand.ts'
import { CLEAR } from './pglite.ts'

/** The URL of a real server: NOKOSU_TEST_POSTGRES, or one started for these tests. Await it at the top of a file. */
export function postgresServer(): Promise<string> {
  return askDesk(inject('postgres'))
}

export interface Schema {
  schema: string
  url: string
  /** Empties the tables. */
  clear(): Promise<void>
  destroy(): Promise<void>
}

/** An empty schema on a real server. */
export async function emptySchema(server: string): Promise<Schema> {
  const schema = `nokosu_test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  // Test files run concurrently, but the extension is created once for all.
  await admin.query(`SELECT pg_advisory_xact_lock(1); CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
    CREATE SCHEMA ${schema}; SET search_path = ${schema}, public`)
  const place = new URL(server)
  place.searchParams.set('options', `-c search_path=${schema},public`)
  return {
    schema,
    url: place.href,
    clear: async () => void (await admin.query(CLEAR)),
    async destroy() {
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
}

/** A new database on a real server, reached through a pooler's port, which accepts no connection settings. */
export async function emptyDatabase(server: string, port: number): Promise<Omit<Schema, 'clear' | 'schema'>> {
  const name = `nokosu_test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const place = new URL(server)
  place.pathname = name
  place.port = String(port)
  return {
    url: place.href,
    async destroy() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin.end()
    },
  }
}

/** The next empty store in a schema. Each handle has its own pool, like another process. */
export async function storeIn(schema: Schema): Promise<ConformanceStore> {
  await schema.clear()
  return { open: async () => postgresStorage({ url: schema.url }), destroy: async () => {} }
}
