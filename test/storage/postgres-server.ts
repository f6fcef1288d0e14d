import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** An empty schema on a real server; each handle has a pool of its own, as another process would. */
export async function emptySchema(server: string): Promise<{
  url: string
  open(): Promise<Storage>
  destroy(): Promise<void>
}> {
  const schema = `nokosu_test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public; CREATE SCHEMA ${schema}`)
  const place = new URL(server)
  place.searchParams.set('options', `-c search_path=${schema},public`)
  return {
    url: place.href,
    open: async () => postgresStorage({ url: place.href }),
    async destroy() {
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
}
