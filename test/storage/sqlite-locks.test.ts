import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { type DirectStore, projectScope } from '../stress/direct-store.ts'
import { query } from '../stress/older-files.ts'
import { openForTest } from '../stress/open-for-test.ts'
import { startWorker } from '../stress/worker-process.ts'

/** Another process that holds a lock until told to release it. */
async function hold(path: string, kind: 'write' | 'read'): Promise<{ release(): Promise<unknown> }> {
  const worker = startWorker('hold-lock', [path, kind])
  onTestFinished(() => void worker.child.kill())
  await worker.printed('held')
  const release = () => {
    worker.child.stdin!.end()
    return worker.ended
  }
  return { release }
}

/** Number of timer ticks: none while SQLite waits for a lock in this thread. */
function countTicks(): () => number {
  let ticks = 0
  const timer = setInterval(() => ticks++, 20)
  onTestFinished(() => clearInterval(timer))
  return () => ticks
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, retryable }: { code: string; retryable: boolean }) => ({ code, retryable }),
  )

test('while another process holds the write lock, timers tick, reads answer, and a commit says that it may be tried again', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const store = await openForTest(path)
  const [kept] = await store.add(['Kept before the lock'], 'p')
  const { release } = await hold(path, 'write')
  const ticks = countTicks()
  let refused = false
  const first = outcome(store.add(['Refused while locked'], 'p')).finally(() => {
    refused = true
  })
  for (let i = 0; i < 5; i++) {
    expect((await store.get(kept!.id))?.content).toBe('Kept before the lock')
    expect(await store.searchTokens('kept', projectScope('p'))).toEqual([kept!.id])
    expect((await store.storage.stats()).memories).toBe(1)
  }
  expect(refused).toBe(false)
  expect(await first).toEqual({ code: 'PROVIDER_ERROR', retryable: true })
  expect(ticks()).toBeGreaterThan(10)
  const before = ticks()
  const second = outcome(store.add(['Written after the lock'], 'p'))
  await expect.poll(ticks).toBeGreaterThan(before + 3)
  await release()
  expect(await second).toBe('done')
  expect(query(path, 'SELECT observation FROM memories ORDER BY id')).toEqual([
    { observation: 'Kept before the lock' },
    { observation: 'Written after the lock' },
  ])
})

test('a file that is locked while it is opened, new or old, does not stop the process either', async () => {
  const path = join(scratchFolder(), 'memory.db')
  new DatabaseSync(path).exec('PRAGMA user_version = 0; CREATE TABLE x (y); DROP TABLE x')
  const other = new DatabaseSync(path)
  other.exec('BEGIN EXCLUSIVE')
  const ticks = countTicks()
  const opening = openForTest(path)
  await expect.poll(ticks).toBeGreaterThan(5)
  other.exec('COMMIT')
  other.close()
  const store = await opening
  await store.add(['One'], 'p')
  expect(await store.list()).toHaveLength(1)
})

test('a search does not wait for what another tool wrote to be indexed when somebody else is writing', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const store = await openForTest(path)
  const sql = new DatabaseSync(path)
  sql.exec(
    `INSERT INTO memories (category, observation, created_at, updated_at) VALUES ('timing', 'From elsewhere', '2026-01-01', '2099-01-01'); BEGIN IMMEDIATE`,
  )
  expect(await store.searchTokens('elsewhere', projectScope('default'))).toEqual([])
  sql.exec('COMMIT')
  sql.close()
  expect(await store.searchTokens('elsewhere', projectScope('default'))).toHaveLength(1)
})

test('use after shutdown fails for good, also for what was waiting for a lock', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const { storage, add } = await openForTest(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const waiting = outcome(add(['Waiting'], 'p'))
  await expect.poll(countTicks()).toBeGreaterThan(1)
  await storage.shutdown()
  expect(await waiting).toEqual({ code: 'PROVIDER_ERROR', retryable: false })
  other.close()
  const model = { name: 'm', dimensions: 4 }
  for (const call of [() => storage.ping(), () => storage.stats(), () => storage.initialize(model)]) {
    await expect(call()).rejects.toMatchObject({ retryable: false, message: 'The store was shut down.' })
  }
})

test('a store that is shut down while it is being opened stays closed', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const storage = sqliteStorage({ path })
  const opening = outcome(storage.initialize({ name: 'm', dimensions: 4 }))
  await storage.shutdown()
  expect(await opening).toEqual({ code: 'PROVIDER_ERROR', retryable: false })
  expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([true, false])
  await expect(storage.ping()).rejects.toMatchObject({ message: 'The store was shut down.' })
})

const FAR = { before: '2100-01-01T00:00:00.000Z', dryRun: false }
const SECRET = 'Zanzibar-4711'
const legible = (path: string) =>
  [path, `${path}-wal`].filter((file) => readFileSync(file).includes(SECRET)).map((file) => file.slice(path.length))

async function storeWithSecret(): Promise<{ path: string; store: DirectStore }> {
  const path = join(scratchFolder(), 'memory.db')
  const store = await openForTest(path)
  const [secret] = await store.add([`The password is ${SECRET}`, 'Something else'], 'p')
  await store.remove([secret!.id])
  return { path, store }
}

test('what was purged is legible in no file, and the report says so', async () => {
  const { path, store } = await storeWithSecret()
  expect(legible(path)).not.toEqual([])
  expect(await store.storage.purge(FAR)).toEqual({ memories: 0, changes: 2, vectors: 1, erased: true, remains: null })
  expect(legible(path)).toEqual([])
})

test('a purge beside a process that still reads says what remains, and the next one erases it', async () => {
  const { path, store } = await storeWithSecret()
  const { release } = await hold(path, 'read')
  const report = await store.storage.purge(FAR)
  expect(report).toMatchObject({ changes: 2, erased: false, remains: expect.stringMatching(/-wal/) })
  expect(legible(path)).not.toEqual([])
  await release()
  expect(await store.storage.purge(FAR)).toEqual({ memories: 0, changes: 0, vectors: 0, erased: true, remains: null })
  expect(legible(path)).toEqual([])
})
