import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemoryError } from '../../src/model/errors.ts'
import { AGENT, runWorkspace } from '../surfaces/run-agent.ts'
import { type CutProxy, cutProxy } from './cut-proxy.ts'
import { everything, type FleetBackend, openFleet } from './fleet-store.ts'
import { sequence } from './sentences.ts'

const SHOP = { layer: 'project', identifiers: { projectId: 'shop' } } as const
const ADDS = 120
/** So many connections are cut while writes go on, however fast those are. */
const LEAST_FAULTS = 10
const BATCH = 60

/** Invariants when the network or server fails during writes. */
export function faultTests(backend: FleetBackend): void {
  async function behindProxy() {
    const store = await backend.create()
    const proxy = await cutProxy(backend.address(store.url))
    const url = backend.behind(store.url, proxy.port)
    const memory = await openFleet(url, { retry: { baseMs: 20, maxMs: 100 } })
    const direct = await openFleet(store.url)
    onTestFinished(async () => {
      await memory.shutdown()
      await proxy.close()
      await direct.shutdown()
      await store.destroy()
    })
    return { memory, direct, proxy, url }
  }

  describe(`faults of ${backend.name}`, () => {
    test('connections are cut and answers lost at any moment: what was said is there, once', async () => {
      const { memory, direct, proxy } = await behindProxy()
      let isOver = false
      let faults = 0
      const weather = changeWeather(
        proxy,
        () => isOver,
        () => faults++,
      )
      const failures: unknown[] = []
      const contents: string[] = []
      for (let i = 0; i < ADDS || faults <= LEAST_FAULTS; i++) {
        contents.push(`Observation ${i}`)
        await insist(failures, () =>
          memory.add({ exact: true, ...SHOP, content: `Observation ${i}` }, { key: `add ${i}` }),
        )
      }
      for (let batch = 0; batch < 3; batch++) {
        const items = Array.from({ length: BATCH }, (_, i) => ({ ...SHOP, content: `Item ${i} of batch ${batch}` }))
        contents.push(...items.map(({ content }) => content))
        await insist(failures, () => memory.bulkAdd(items, { exact: true, key: `batch ${batch}` }))
      }
      isOver = true
      await weather
      for (const failure of failures) expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
      const stored = await everything(direct)
      expect(stored.map(({ content }) => content).sort()).toEqual(contents.sort())
      expect(stored.every(({ version }) => version === 1)).toBe(true)
      expect(await direct.stats()).toMatchObject({ memories: contents.length })
    })

    test('[D24] an answer that gets lost is asked for again, and the write is there once', async () => {
      const { memory, direct, proxy } = await behindProxy()
      proxy.loseAnswers()
      const adding = memory.add({ exact: true, ...SHOP, content: 'The queue drains every minute' })
      await expect.poll(() => proxy.lost()).toBeGreaterThan(0)
      proxy.cut()
      const { memory: added } = await adding
      expect((await everything(direct)).map(({ id, version }) => [id, version])).toEqual([[added.id, 1]])
    })

    test('[D24] a server that is away is PROVIDER_ERROR, retryable, in little time; when it is back, so is the store', async () => {
      const { memory, proxy } = await behindProxy()
      await memory.add({ exact: true, ...SHOP, content: 'Before' })
      proxy.refuse(true)
      for (const call of [
        () => memory.add({ exact: true, ...SHOP, content: 'Meanwhile' }),
        () => memory.list({ identifiers: SHOP.identifiers }),
        () => memory.search({ identifiers: SHOP.identifiers, query: 'before' }),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
      }
      expect(await memory.healthCheck()).toMatchObject({ status: 'unhealthy' })
      proxy.refuse(false)
      await memory.add({ exact: true, ...SHOP, content: 'After' })
      const { memories } = await memory.list({ identifiers: SHOP.identifiers })
      expect(memories.map(({ content }) => content)).toEqual(['After', 'Before'])
    })

    test('a run whose store is away ends as its agent did, and what it said is stored, once, when the store is back', async () => {
      const { direct, proxy, url } = await behindProxy()
      const space = runWorkspace()
      const run = (script: string, ...flags: string[]) =>
        space.run([...AGENT, ...flags, '--', 'sh', '-c', `: "$NOKOSU_CONTEXT"; ${script}`], {
          env: { ...backend.env, NOKOSU_DB: url },
        })
      proxy.refuse(true)
      const away = await run('echo "[MEMORY:timing:web] Takes 5s to start"; exit 3', '--store-timeout', '2')
      expect(away).toMatchObject({ code: 3, stdout: '[MEMORY:timing:web] Takes 5s to start\n' })
      expect(away.stderr).toContain('The agent starts without memories.')
      expect(away.stderr).toContain('1 observation(s) are spooled')
      proxy.refuse(false)
      for (let i = 0; i < 2; i++) expect((await run('exit 0')).code).toBe(0)
      const stored = await everything(direct)
      expect(stored.map(({ content, version }) => [content, version])).toEqual([['Takes 5s to start', 1]])
    })
  })
}

/** Then a quiet phase, because on a busy machine nothing would get through between two cuts. */
const MOST_FAULTS = 60

/** Cuts, or loses answers for a moment and then cuts; returns how often. */
async function changeWeather(proxy: CutProxy, isOver: () => boolean, onFault: () => void): Promise<void> {
  const random = sequence(7)
  for (let faults = 0; !isOver() && faults < MOST_FAULTS; faults++) {
    await sleep(15 + random() * 120)
    if (random() < 0.5) {
      proxy.loseAnswers()
      await sleep(10 + random() * 30)
    }
    proxy.cut()
    onFault()
  }
}

/** Retries with the same key until acknowledged, like a caller that must store it. */
export async function insist(failures: unknown[], work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      if (!MemoryError.is(error) || !error.retryable) throw error
      failures.push(error)
    }
  }
  throw new Error('It never came through.')
}
