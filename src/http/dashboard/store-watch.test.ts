import { describe, expect, test } from 'vitest'
import { StoreWatch } from './store-watch.ts'

const HOUR = 3_600_000

function watching(follow: (changed: () => void) => Promise<(() => Promise<void>) | null>) {
  const stop = new AbortController()
  const warnings: string[] = []
  const say = (_: object, message: string) => void warnings.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  return { stop, warnings, watcher: new StoreWatch({ memory: { follow }, stopping: stop.signal, log }) }
}

describe('waiting for the next look at the store', () => {
  test('ends when the store tells of a write, also of one that came before it began, and not before its least time', async () => {
    let tell = () => {}
    let follows = 0
    const { watcher: all } = watching(async (changed) => {
      follows++
      tell = changed
      return null
    })
    const watches = [await all.watch(), await all.watch()]
    const waiting = watches.map((watch) => watch.wait(0, HOUR))
    setTimeout(tell, 20)
    await Promise.all(waiting)
    tell()
    const start = performance.now()
    await Promise.all(watches.map((watch) => watch.wait(60, HOUR)))
    expect(performance.now() - start).toBeGreaterThan(55)
    expect(follows).toBe(1)
  })

  test('without word of a write it lasts its time, and less when the server stops', async () => {
    let ended = 0
    const { watcher: all, stop } = watching(async () => async () => void ended++)
    const watch = await all.watch()
    const start = performance.now()
    await watch.wait(10, 60)
    expect(performance.now() - start).toBeGreaterThan(55)
    const last = watch.wait(HOUR, 2 * HOUR)
    stop.abort()
    await last
    expect(ended).toBe(1)
  })

  test('a store that cannot tell now is asked again by the next page', async () => {
    let asked = 0
    const { watcher: all, warnings } = watching(async () => {
      if (asked++ === 0) throw new Error('away')
      return null
    })
    const watch = await all.watch()
    await watch.wait(0, 5)
    expect(warnings).toHaveLength(1)
    await all.watch()
    await all.watch()
    expect(asked).toBe(2)
  })
})
