import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { openServer } from '../http/open-server.ts'
import { emptySchema, postgresServer } from '../postgres/schemas.ts'

const server = await postgresServer()

async function schemaWith(settings: Record<string, string>) {
  const place = await emptySchema(server)
  onTestFinished(() => place.destroy())
  const url = new URL(place.url)
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value)
  return { place, url: url.href }
}

test('a store whose connections are all in use is ready, and says that it is busy', async () => {
  const { place, url } = await schemaWith({ pool: '2', connectTimeoutMs: '30000' })
  const backend = postgresStorage({ url })
  const { call, memory } = await openServer({ backend })
  expect(await memory.healthCheck()).toMatchObject({ status: 'healthy', problems: [] })
  // Each listener keeps a connection of the pool.
  const ends = [await memory.follow(() => {}), await memory.follow(() => {})]
  const ready = await call('GET', '/readyz')
  expect(ready.status).toBe(200)
  expect(ready.json).toMatchObject({ status: 'degraded', problems: [expect.stringMatching(/^The store answers, but/)] })
  const admin = new pg.Client({ connectionString: place.url })
  await admin.connect()
  onTestFinished(() => admin.end())
  const { rows } = await admin.query(`SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE application_name = 'nokosu' AND query LIKE 'LISTEN%'`)
  expect(rows[0].n).toBeGreaterThanOrEqual(2)
  for (const end of ends) await end?.()
  expect(await memory.healthCheck()).toMatchObject({ status: 'healthy' })
})

test('a statement that takes longer than timeoutMs fails, and a setting that is no number is refused', async () => {
  const { place, url } = await schemaWith({ timeoutMs: '300' })
  const memory = await openMemory({
    storage: postgresStorage({ url }),
    embedding: hashingEmbedding(),
    relations: null,
    retry: { retries: 0 },
  })
  onTestFinished(() => memory.shutdown())
  const blocker = new pg.Client({ connectionString: place.url })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE')
  await expect(memory.sessions({ everything: true })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  await blocker.query('ROLLBACK')
  expect(await memory.sessions({ everything: true })).toMatchObject({ sessions: [] })

  for (const [name, value] of [
    ['pool', '0'],
    ['pool', 'many'],
    ['timeoutMs', '1.5'],
    ['connectTimeoutMs', ''],
  ] as const) {
    const { url: wrong } = await schemaWith({ [name]: value })
    await expect(openMemory({ storage: wrong, embedding: hashingEmbedding() })).rejects.toThrow(
      new RegExp(`'${name}' in its URL must be a whole number`),
    )
  }
})
