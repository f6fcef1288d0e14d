import { expect, it } from 'vitest'
import { createTables, deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { ownTables } from '../dynamodb/local-tables.ts'
import { startPglite } from '../postgres/pglite.ts'
import { all, dump, fill, move, openOn, say } from './stores.ts'

const pglite = startPglite()
const dynamodb = await ownTables()

it('SQLite to PostgreSQL to DynamoDB and back to SQLite: the same at every stop, and nothing is moved twice', async () => {
  const first = sqliteStorage({ path: ':memory:' })
  await fill(first)
  const { client } = await pglite
  await createTables({ ...dynamodb, ttl: false })
  const stops = [first, postgresStorage({ client }), dynamodbStorage(dynamodb), sqliteStorage({ path: ':memory:' })]
  try {
    const whole = await dump(first)
    const checksums = new Set<string>()
    for (const [i, target] of stops.slice(1).entries()) {
      const { kinds, ...moved } = await move(stops[i]!, target, { id: `stop ${i}` })
      expect(moved).toMatchObject({ verified: true, settled: true, refused: [] })
      expect(kinds.memories).toMatchObject({ source: 6, target: 6, newer: 0, onlyInTarget: 0, differingCount: 0 })
      for (const { source, target: there } of Object.values(kinds)) expect([source > 0, there]).toEqual([true, source])
      checksums.add(JSON.stringify(kinds))
      expect(await dump(target)).toEqual(whole)
      expect(await move(stops[i]!, target, { id: `stop ${i}` })).toMatchObject({
        verified: true,
        rounds: 1,
        written: 0,
      })
      expect(await dump(target)).toEqual(whole)
    }
    expect(checksums.size, 'the checksum depends on content alone').toBe(1)
    const last = await openOn(stops.at(-1)!)
    // It was deleted, and its session is captured again.
    expect(await say(last, 'run-2', 'The cache is soon gone')).toMatchObject([{ kind: 'duplicate' }])
    const { results } = await last.search({ query: 'takes 90s to start', ...all, mode: 'semantic' })
    expect(results[0]!.memory.content).toBe('Takes 90s to start')
  } finally {
    await Promise.all(stops.map((storage) => storage.shutdown()))
    await deleteTables(dynamodb)
  }
})
