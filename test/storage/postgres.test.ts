import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { type ConformanceStore, storageConformance } from '../../src/testing/index.ts'
import { startPglite } from './pglite.ts'
import { emptySchema } from './postgres-server.ts'

/** A real server, such as `npm run test:postgres` starts; PGlite, in this process, where there is none. */
const server = process.env.NOKOSU_TEST_POSTGRES
const pglite = server ? null : startPglite()

async function createOnPglite(): Promise<ConformanceStore> {
  const { client, reset } = await pglite!
  await reset()
  return { open: async () => postgresStorage({ client }), destroy: async () => {} }
}

storageConformance({
  name: server ? 'postgres' : 'postgres (PGlite)',
  create: () => (server ? emptySchema(server) : createOnPglite()),
})
