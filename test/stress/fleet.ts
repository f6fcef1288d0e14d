import { describe, expect, onTestFinished, test } from 'vitest'
import { everything, type FleetBackend, openFleet } from './fleet-store.ts'
import { startWorker } from './worker-process.ts'

const PROCESSES = 8
const ADDS = 500
const DAY = 86_400_000
const START = Date.parse('2026-03-01T00:00:00.000Z')
const NOON = '2026-03-01T12:00:00.000Z'

/** Invariants when many processes use one store at once. */
export function fleetTests(backend: FleetBackend): void {
  async function emptyStore(): Promise<string> {
    const store = await backend.create()
    onTestFinished(() => store.destroy())
    return store.url
  }

  /** Starts them, lets all open the store at once and then run at once. Returns their output. */
  async function fleet(url: string, what: string, times: number, clock: (i: number) => string = () => '') {
    const workers = Array.from({ length: PROCESSES }, (_, i) =>
      startWorker('fleet', [url, what, `process-${i}`, String(times), clock(i)]),
    )
    await Promise.all(workers.map((worker) => worker.printed('ready')))
    for (const worker of workers) worker.child.stdin!.write('go\n')
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0, errors: '' })
    return workers.map((worker) => worker.lines.slice(1))
  }

  async function opened(url: string, now?: () => Date) {
    const memory = await openFleet(url, now ? { now } : {})
    onTestFinished(() => memory.shutdown())
    return memory
  }

  describe(`a fleet on ${backend.name}`, () => {
    test(`[B09] ${PROCESSES} processes open an empty store at once and add ${ADDS} each within one millisecond: every acknowledged id is there, once`, async () => {
      const url = await emptyStore()
      const acknowledged = (await fleet(url, 'add', ADDS, () => NOON)).flat().map((line) => line.split(' ')[1]!)
      expect(new Set(acknowledged).size).toBe(PROCESSES * ADDS)
      const memory = await opened(url, () => new Date(NOON))
      const stored = await everything(memory)
      expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.sort())
      expect(new Set(stored.map(({ content }) => content)).size).toBe(PROCESSES * ADDS)
      expect(await memory.stats()).toMatchObject({ memories: PROCESSES * ADDS, active: PROCESSES * ADDS })
      const own = await memory.list({ identifiers: { agentId: 'coder', projectId: 'shop' }, limit: 1 })
      expect(own.totalCount).toBe(PROCESSES * ADDS)
    })

    test(`[E20] ${PROCESSES} sessions confirm the same memories at once: each counts, none twice`, async () => {
      const url = await emptyStore()
      const memory = await opened(url)
      const fields = { layer: 'project', identifiers: { projectId: 'shop' }, category: 'timing' } as const
      const faint = { ...fields, content: 'The queue drains every minute', confidence: 0.3 }
      const [first] = (await memory.bulkAdd([0, 1, 2].map((i) => ({ ...faint, service: `web${i}`, exact: true }))))
        .memories
      const said = (await fleet(url, 'confirm', 3)).flat()
      expect(said.every((line) => line === 'confirm reinforce')).toBe(true)
      const stored = await everything(memory)
      // 0.3 plus eight times 0.1, capped at 1.
      expect(stored.map(({ confidence, version }) => [confidence, version])).toEqual([0, 1, 2].map(() => [1, 9]))
      const { changes } = await memory.history(first!.id, { everything: true })
      const steps = changes.map(({ after }) => after!.confidence.toFixed(1))
      expect(steps).toEqual(['0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '1.0', '1.0'])
    })

    test(`[E25] ${PROCESSES} processes sweep at once: decay and expiry are applied once`, async () => {
      const url = await emptyStore()
      const before = await opened(url, () => new Date(START))
      // An operator's memories do not fade.
      const by = { source: 'extraction', tier: 1 } as const
      const fields = { layer: 'project', identifiers: { projectId: 'shop' }, category: 'timing', ...by } as const
      const items = Array.from({ length: 40 }, (_, i) => ({
        ...fields,
        content: `Fact ${i}`,
        confidence: 0.9,
        exact: true,
      }))
      await before.bulkAdd(items.map((item, i) => (i < 10 ? { ...item, expiresAt: '2026-03-02T00:00:00.000Z' } : item)))
      const later = new Date(START + 44 * DAY)
      await fleet(url, 'sweep', 1, () => later.toISOString())
      const stored = await everything(await opened(url, () => later))
      expect(stored).toHaveLength(30)
      for (const { confidence, version } of stored) expect([confidence, version]).toEqual([0.7, 2])
    })

    test('machines whose clocks are an hour apart lose nothing of each other, and the later word stands', async () => {
      const url = await emptyStore()
      const [behind, ahead] = [START, START + 3_600_000].map((time) => new Date(time).toISOString()) as [string, string]
      const lines = await fleet(url, 'add', 10, (i) => (i % 2 === 0 ? behind : ahead))
      const [slow, fast] = [await opened(url, () => new Date(behind)), await opened(url, () => new Date(ahead))]
      for (const memory of [slow, fast]) {
        expect((await everything(memory)).map(({ id }) => id).sort()).toEqual(
          lines
            .flat()
            .map((line) => line.split(' ')[1])
            .sort(),
        )
      }
      const all = { everything: true } as const
      const { memory } = await fast.add({
        exact: true,
        content: 'The deploy takes 5 minutes',
        layer: 'project',
        identifiers: { projectId: 'shop' },
      })
      await slow.update(memory.id, { content: 'The deploy takes 9 minutes' }, all)
      await fast.update(memory.id, { importance: 80 }, all)
      const found = await slow.search({
        identifiers: { projectId: 'shop' },
        query: 'deploy minutes',
        threshold: 0,
        limit: 1,
      })
      const wanted = { id: memory.id, content: 'The deploy takes 9 minutes', importance: 80, version: 3 }
      expect(found.results[0]!.memory).toMatchObject(wanted)
      const { changes } = await slow.history(memory.id, all)
      expect(changes.map(({ version }) => version)).toEqual([1, 2, 3])
      await slow.delete(memory.id, all)
      expect(await fast.get(memory.id, all)).toBeNull()
    })
  })
}
