import { randomBytes } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { openServer } from '../http/open-server.ts'

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-gone-'))
  const path = join(folder, 'm.db')
  const backend = sqliteStorage({ path })
  const server = await openServer({ backend, store: path })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const add = (content: string) =>
    server.call('POST', '/api/memories', { body: { layer: 'project', identifiers: { projectId: 'shop' }, content } })
  expect((await add('The first')).status).toBe(201)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
  return { ...server, backend, path, folder, add }
}

describe('a store whose file is taken away', () => {
  it.each([
    ['removed', (path: string) => rmSync(path)],
    [
      'replaced by another',
      (path: string) => {
        renameSync(path, `${path}.old`)
        new DatabaseSync(path).exec('CREATE TABLE memories (id)')
      },
    ],
  ])('%s: nothing is acknowledged, and the server is not ready', async (_, take) => {
    const { call, path, folder, add } = await open()
    take(path)
    const refused = await add('The second')
    expect(refused.status).toBe(503)
    expect(refused.json.error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
    const ready = await call('GET', '/readyz')
    expect(ready.status).toBe(503)
    for (const { text } of [refused, ready]) expect(text).not.toContain(folder)
  })

  it('overwritten: it is noticed within a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { call, path, folder, add } = await open()
    const other = new DatabaseSync(path)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    writeFileSync(path, randomBytes(statSync(path).size))
    const ready = await call('GET', '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.text).not.toContain(folder)
    vi.advanceTimersByTime(1000)
    const refused = await add('The second')
    expect(refused.status).toBe(503)
    expect(refused.text).not.toContain(folder)
  })

  it('locked for long: it is not ready until the lock is gone', async () => {
    const { call, path, backend } = await open()
    const other = new DatabaseSync(path)
    other.exec('BEGIN EXCLUSIVE')
    const nothing = { key: 'k', by: 'me', at: new Date().toISOString(), writes: [] }
    await expect(backend.commit(nothing)).rejects.toMatchObject({ retryable: true })
    expect((await call('GET', '/readyz')).status).toBe(503)
    other.exec('ROLLBACK')
    other.close()
    expect((await call('GET', '/readyz')).status).toBe(200)
  })
})
