import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { contentsOf, openEngine, spooled, temporaryFolder } from '../../test/remote-store.ts'
import { MemoryError } from '../model/errors.ts'
import { deliverOften } from './deliver-often.ts'
import { newSpoolName, type SpoolRecord, spoolPath } from './spool-file.ts'
import { spoolFolders } from './spool-folders.ts'

const EVERY_MS = 50

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The calls made, after another check of the spool had time to happen. */
function later<T>(asked: () => T | Promise<T>): () => Promise<T> {
  return async () => {
    await vi.advanceTimersByTimeAsync(EVERY_MS)
    return asked()
  }
}

function spool() {
  const folder = join(temporaryFolder(), 'spool')
  mkdirSync(folder)
  const leave = (record: SpoolRecord) =>
    writeFileSync(spoolPath(folder, newSpoolName(), 'ready'), `${JSON.stringify(record)}\n`)
  return { folder, leave }
}

it('what is left is delivered at once, and what is left later soon after, until it is stopped', async () => {
  const { folder, leave } = spool()
  const engine = await openEngine()
  leave(spooled('k1', 'Logs are rotated at noon'))
  const delivery = deliverOften(engine, [folder], { everyMs: EVERY_MS, onFailure: () => {} })
  await expect.poll(() => contentsOf(engine)).toEqual(['Logs are rotated at noon'])
  leave(spooled('k2', 'Mail goes out at night'))
  await expect.poll(later(() => contentsOf(engine))).toHaveLength(2)
  await delivery.stop()
  leave(spooled('k3', 'Nobody delivers this'))
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  expect(readdirSync(folder)).toHaveLength(1)
})

it('stopped in the middle of a delivery, it lets that one end and looks no more', async () => {
  const { folder, leave } = spool()
  const engine = await openEngine()
  let begun = () => {}
  let go = () => {}
  const underWay = new Promise<void>((resolve) => {
    begun = resolve
  })
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const remember: typeof engine.remember = async (...given) => {
    begun()
    await gate
    return engine.remember(...given)
  }
  leave(spooled('k1', 'Logs are rotated at noon'))
  const delivery = deliverOften({ ...engine, remember }, [folder], { everyMs: EVERY_MS, onFailure: () => {} })
  await underWay
  const stopped = delivery.stop()
  go()
  await stopped
  expect(await contentsOf(engine)).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

it('what waits is told once, and delivered when the store is back', async () => {
  const { folder, leave } = spool()
  const engine = await openEngine()
  let away = true
  let asked = 0
  const remember: typeof engine.remember = (...given) => {
    asked++
    return away ? Promise.reject(new MemoryError('PROVIDER_ERROR', 'The store is away.')) : engine.remember(...given)
  }
  const failures: string[] = []
  leave(spooled('k1', 'Logs are rotated at noon'))
  const onFailure = (failure: string) => failures.push(failure)
  const delivery = deliverOften({ ...engine, remember }, [folder], { everyMs: EVERY_MS, onFailure })
  onTestFinished(() => delivery.stop())
  await expect.poll(later(() => asked)).toBeGreaterThan(3)
  expect(failures).toEqual([expect.stringContaining('The store is away.')])
  away = false
  await expect.poll(later(() => contentsOf(engine))).toHaveLength(1)
})

it('the spool of a server is the machine’s, whichever of its own names is used, and each server has its own', () => {
  const env = { XDG_STATE_HOME: '/state' }
  const of = (url: string) => spoolFolders({ file: null, url, env })
  expect(of('http://localhost:4816')).toEqual([expect.stringMatching(/^\/state\/nokosu\/spool\/[0-9a-f]{16}$/)])
  for (const url of ['http://127.0.0.1:4816', 'http://[::1]:4816', 'http://localhost:4816/']) {
    expect(of(url)).toEqual(of('http://localhost:4816'))
  }
  const others = ['http://localhost:4817', 'https://localhost:4816', 'http://nas:4816', 'http://localhost:4816/team']
  expect(new Set([...others, 'http://localhost:4816'].flatMap(of)).size).toBe(5)
})
