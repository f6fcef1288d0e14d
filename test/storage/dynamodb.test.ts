import { createTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { ConformanceTarget } from '../../src/testing/conformance/store-under-test.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { emptyTables, ownTables } from '../dynamodb/local-tables.ts'
import { engineCases } from './engine-cases.ts'

/** Reuses empty tables, because creating them takes longer than most cases. */
const free: Awaited<ReturnType<typeof ownTables>>[] = []

const target: ConformanceTarget = {
  name: 'dynamodb',
  async create() {
    const reused = free.pop()
    const options = reused ?? (await ownTables())
    // DynamoDB's own TTL clock must not affect tests with a test clock.
    if (!reused) await createTables({ ...options, ttl: false })
    return {
      open: async () => dynamodbStorage(options),
      async destroy() {
        await emptyTables(options)
        free.push(options)
      },
    }
  },
}
storageConformance(target)
engineCases(target, /^an import into an empty store/)
