import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { startPglite } from './pglite.ts'

const pglite = startPglite()

storageConformance({
  name: 'postgres',
  async create() {
    const { client, reset } = await pglite
    await reset()
    return { open: async () => postgresStorage({ client }), destroy: async () => {} }
  },
})
