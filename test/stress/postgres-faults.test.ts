import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { postgresFleet } from '../postgres/fleet-backend.ts'
import { emptySchema, postgresServer } from '../postgres/schemas.ts'
import { startPostgres } from '../postgres/start-postgres.ts'
import { faultTests, insist } from './faults.ts'
import { everything, openFleet } from './fleet-store.ts'
import { sequence } from './sentences.ts'

const server = await postgresServer()
const SHOP = { layer: 'project', identifiers: { projectId: 'shop' } } as const

faultTests(postgresFleet('PostgreSQL', server))

test('an administrator ends connections in mid-batch: what was said is there, once', async () => {
  const store = await emptySchema(server)
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  const memory = await openFleet(store.url, { retry: { baseMs: 20, maxMs: 100 } })
  onTestFinished(async () => {
    await memory.shutdown()
    await admin.end()
    await store.destroy()
  })
  let isOver = false
  let ended = 0
  const random = sequence(3)
  const ending = (async () => {
    while (!isOver) {
      await sleep(20 + random() * 300)
      // Only for this store, because other tests use the server too.
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nokosu' AND pid IN (
           SELECT l.pid FROM pg_locks l WHERE l.relation = to_regclass('${store.schema}.memories'))`,
      )
      ended += rowCount ?? 0
    }
  })()
  const contents: string[] = []
  for (let batch = 0; batch < 10 || (ended === 0 && batch < 200); batch++) {
    const items = Array.from({ length: 100 }, (_, i) => ({ ...SHOP, content: `Item ${i} of batch ${batch}` }))
    contents.push(...items.map(({ content }) => content))
    await insist([], () => memory.bulkAdd(items, { exact: true, key: `batch ${batch}` }))
  }
  isOver = true
  await ending
  expect(ended).toBeGreaterThan(0)
  expect((await everything(memory)).map(({ content }) => content).sort()).toEqual(contents.sort())
})

test('the server crashes and is started again while a fleet writes: what was acknowledged is there, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-postgres-'))
  const own = await startPostgres(folder, { survives: 'crash' })
  const writers = await Promise.all([0, 1, 2].map(() => openFleet(own.url, { retry: { baseMs: 50, maxMs: 400 } })))
  onTestFinished(async () => {
    await Promise.all(writers.map((writer) => writer.shutdown()))
    own.stop('immediate')
    rmSync(folder, { recursive: true })
  })
  const failures: unknown[] = []
  const acknowledged: string[] = []
  let isOver = false
  const writing = writers.map(async (writer, w) => {
    for (let i = 0; !isOver; i++) {
      const content = `Observation ${i} of ${w}`
      await insist(failures, () => writer.add({ exact: true, ...SHOP, content }, { key: `${w} ${i}` }))
      acknowledged.push(content)
    }
  })
  const more = async (list: readonly unknown[]) => {
    const before = list.length
    await expect.poll(() => list.length).toBeGreaterThan(before + 10)
  }
  for (const how of ['immediate', 'fast'] as const) {
    await more(acknowledged)
    own.stop(how)
    await expect.poll(() => failures.length).toBeGreaterThan(0)
    own.start()
  }
  await more(acknowledged)
  isOver = true
  await Promise.all(writing)
  for (const failure of failures) expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
  const stored = await everything(writers[0]!)
  expect(stored.map(({ content }) => content).sort()).toEqual(acknowledged.sort())
  expect(acknowledged.length).toBeGreaterThan(20)
})
