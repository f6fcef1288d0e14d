import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Spool } from '../../remote/spool.ts'
import { sqliteStorage } from './sqlite-storage.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const NAMES = ['memory.db', 'memory.db-wal', 'memory.db-shm']

describe.skipIf(process.platform === 'win32')('the files of a store', () => {
  let root: string
  let umask: number
  beforeAll(() => {
    umask = process.umask(0o022)
    root = mkdtempSync(join(tmpdir(), 'nokosu-private-'))
    chmodSync(root, 0o755)
  })
  afterAll(() => {
    process.umask(umask)
    rmSync(root, { recursive: true, force: true })
  })

  async function openIn(folder: string) {
    const storage = sqliteStorage({ path: join(folder, 'memory.db') })
    await storage.initialize({ name: 'test', dimensions: 4 })
    return storage
  }

  it('no file is made once the store is shut down', async () => {
    const path = join(root, 'shut', 'memory.db')
    const storage = sqliteStorage({ path })
    await storage.shutdown()
    await expect(storage.initialize({ name: 'test', dimensions: 4 })).rejects.toThrow('shut down')
    expect(existsSync(path)).toBe(false)
  })

  it('a new store is its owner’s alone, with its log, its index and its folder', async () => {
    const folder = join(root, 'new', '.nokosu')
    const storage = await openIn(folder)
    expect([folder, join(root, 'new'), ...NAMES.map((name) => join(folder, name))].map(modeOf)).toEqual([
      ...['700', '700'],
      ...NAMES.map(() => '600'),
    ])
    await storage.shutdown()
  })

  it('one that others could read is tightened when it is opened; a folder of other things stays as it is', async () => {
    const own = join(root, 'old', '.nokosu')
    const shared = join(root, 'shared')
    for (const folder of [own, shared]) {
      mkdirSync(folder, { recursive: true })
      chmodSync(folder, 0o755)
      const first = await openIn(folder)
      for (const name of NAMES) chmodSync(join(folder, name), 0o644)
      const second = await openIn(folder)
      expect(NAMES.map((name) => modeOf(join(folder, name)))).toEqual(['600', '600', '600'])
      await second.shutdown()
      await first.shutdown()
    }
    expect([modeOf(own), modeOf(shared)]).toEqual(['700', '755'])
  })

  it('so are the spool and its folder', async () => {
    const folder = join(root, 'spooled', '.nokosu', 'spool')
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, 'x'), '')
    const spool = new Spool([folder])
    await spool.append([{ key: 'a', method: 'record', params: [] } as never])
    expect(modeOf(folder)).toBe('700')
    await spool.release()
  })
})
