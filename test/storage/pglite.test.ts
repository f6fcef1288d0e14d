import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { startPglite } from '../postgres/pglite.ts'

const pglite = startPglite()

storageConformance({
  name: 'postgres (PGlite)',
  async create() {
    const { client, clear } = await pglite
    await clear()
    return { open: async () => postgresStorage({ client }), destroy: async () => {} }
  },
})
