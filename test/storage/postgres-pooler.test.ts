import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { insert, numbers } from '../../src/testing/conformance/storage/writing.ts'
import { startPgbouncer } from '../postgres/pgbouncer.ts'
import { emptyDatabase, postgresServer } from '../postgres/schemas.ts'

const server = await postgresServer()
const MODEL = { name: 'm1', dimensions: 4 }
const AT = '2026-03-01T00:00:00.000Z'

async function pooler(port?: number) {
  const started = await startPgbouncer(server, port)
  onTestFinished(() => started.stop())
  return started
}

test.each([
  [
    'settings in the address',
    (url: URL) => url.searchParams.set('options', '-c search_path=x'),
    /leave \?options= out/,
  ],
  [
    'a database that is not there',
    (url: URL) => Object.assign(url, { pathname: '/nowhere' }),
    /The database does not exist/,
  ],
  [
    'a user that it does not know',
    (url: URL) => Object.assign(url, { username: 'nobody' }),
    /does not let this user in/,
  ],
])('PgBouncer refuses %s: the message says so, and nobody tries again', async (_, change, message) => {
  const { port } = await pooler()
  const url = new URL(server)
  url.port = String(port)
  change(url)
  const storage = postgresStorage({ url: url.href })
  await expect(storage.initialize(MODEL)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(message),
  })
  await storage.shutdown()
})

test('PgBouncer is started anew while commits are made: what was acknowledged is there, once', async () => {
  const first = await startPgbouncer(server)
  const place = await emptyDatabase(server, first.port)
  const storage = postgresStorage({ url: place.url })
  await storage.initialize(MODEL)
  onTestFinished(async () => {
    await storage.shutdown()
    await place.destroy()
  })
  const failures: unknown[] = []
  let isOver = false
  let made = 0
  const writing = (async () => {
    for (; !isOver || made < 20; ) {
      const commit = { key: `k${made}`, at: AT, by: 'x', writes: [insert(made)] }
      await storage.commit(commit).then(
        () => made++,
        async (error: unknown) => {
          failures.push(error)
          await sleep(20)
        },
      )
    }
  })()
  await expect.poll(() => made).toBeGreaterThan(5)
  await first.stop()
  await expect.poll(() => failures.length).toBeGreaterThan(0)
  await pooler(first.port)
  const before = made
  await expect.poll(() => made).toBeGreaterThan(before + 5)
  isOver = true
  await writing
  for (const failure of failures) expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
  expect(await numbers(storage, { limit: 1000 })).toHaveLength(made)
})
