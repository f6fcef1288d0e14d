/** Storage calls, which dominate the time of a network store. */
import { hashingEmbedding } from '../src/embedding/hashing.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import type { Section } from './report.ts'

const NINE = {
  agentId: 'nori',
  userId: 'ann',
  sessionId: 's',
  taskId: 'T1',
  sectionId: 'S1',
  projectId: 'shop',
  teamId: 'web',
  orgId: 'retail',
  companyId: 'acme',
}

export async function benchCalls(): Promise<Section> {
  const { storage, calls } = counted(sqliteStorage({ path: ':memory:' }))
  const engine = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
  const during = async (work: () => Promise<unknown>) => {
    calls.length = 0
    await work()
    return [...calls]
  }
  await engine.add({ exact: true, layer: 'company', identifiers: NINE, content: 'Deploys stop on Fridays' })
  const { agentId, projectId } = NINE
  const search = await during(() => engine.search({ identifiers: NINE, query: 'deploys on fridays' }))
  // The directory supplies what the caller leaves out.
  const looked = await during(() => engine.search({ identifiers: { agentId, projectId }, query: 'deploys on fridays' }))
  const shop = engine.as({ projectId })
  await shop.capture('[MEMORY:timing:web] Takes 60s to start', { format: 'text', session: 'run-1' })
  const markers = Array.from({ length: 20 }, (_, i) =>
    i % 2 === 0
      ? `[MEMORY:behavior:web] Worker ${i} answers on port ${8000 + i}`
      : `[MEMORY:timing:web] Takes ${70 + i}s to start (was: Takes 60s to start)`,
  )
  const capture = await during(() => shop.capture(markers.join('\n'), { format: 'text', session: 'run-2' }))
  await engine.shutdown()
  return {
    title: 'Calls of the storage',
    rows: [
      { what: 'search, nine layers named', calls: search.length, which: search.join(', ') },
      { what: 'search, what is above the project looked up', calls: looked.length, which: looked.join(', ') },
      { what: 'capture of 20 markers', calls: capture.length, which: capture.join(', ') },
    ],
    checks: [
      {
        claim: 'calls of a search',
        measured: Math.max(search.length, looked.length),
        bar: 3,
        better: 'less',
        unit: 'calls',
      },
      { claim: 'calls of a capture of 20 markers', measured: capture.length, bar: 10, better: 'less', unit: 'calls' },
    ],
  }
}

/** The same storage, recording the names of called methods. */
function counted(target: Storage): { storage: Storage; calls: string[] } {
  const calls: string[] = []
  const storage = new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...values: unknown[]) => {
        calls.push(String(name))
        return value.apply(target, values)
      }
    },
  })
  return { storage, calls }
}
