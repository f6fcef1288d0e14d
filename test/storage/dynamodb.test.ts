import { createTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { emptyTables, localOptions } from '../dynamodb/local-tables.ts'

const local = await localOptions()
/** Prefixes whose tables are there and empty: making tables takes longer than most cases. */
const free: string[] = []
let made = 0

storageConformance({
  name: 'dynamodb',
  async create() {
    const reused = free.pop()
    const options = { ...local, prefix: reused ?? `t${++made}-` }
    // DynamoDB's own clock has no part in tests whose clock is their own.
    if (!reused) await createTables({ ...options, ttl: false })
    return {
      open: async () => dynamodbStorage(options),
      async destroy() {
        await emptyTables(options)
        free.push(options.prefix)
      },
    }
  },
})
