import { afterAll, beforeAll } from 'vitest'
import { createTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { emptyTables, ownTables } from '../dynamodb/local-tables.ts'
import { startVectorServer, type VectorServer } from '../dynamodb/vector-server.ts'

let server: VectorServer
beforeAll(async () => {
  server = await startVectorServer()
})
afterAll(() => server.close())

const free: Awaited<ReturnType<typeof ownTables>>[] = []

/** Every scope is searched in the index, which is written before each search. */
storageConformance({
  name: 'dynamodb with an index of vectors',
  async create() {
    const reused = free.pop()
    const options = reused ?? (await ownTables())
    if (!reused) await createTables({ ...options, ttl: false })
    const { endpoint, bucket } = server
    return {
      open: async () => dynamodbStorage({ ...options, vectors: { bucket, endpoint, from: 0, behind: 0 } }),
      async destroy() {
        await emptyTables(options)
        free.push(options)
      },
    }
  },
})
