import { describe, expect, it } from 'vitest'
import type { Nokosu } from '../../src/engine/open-memory.ts'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { all, clock, dump, fill, move, openOn, say } from './stores.ts'

const shop = { projectId: 'shop' }

/** Seeded pseudo-random numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (state >>> 3) % below
  }
}

async function anyMemory(engine: Nokosu, next: (below: number) => number): Promise<string | null> {
  const { memories } = await engine.list({ ...all, includeInactive: true, limit: 50 })
  return memories.length === 0 ? null : memories[next(memories.length)]!.id
}

/** One random operation of a fleet. */
async function writeSomething(engine: Nokosu, next: (below: number) => number): Promise<void> {
  const n = next(10_000)
  const id = await anyMemory(engine, next)
  const session = `live-${next(6)}`
  switch (next(13)) {
    case 0:
      await engine.add({ exact: true, content: `Port ${n} is taken`, layer: 'project', identifiers: shop, session })
      return
    case 1:
      if (id) await engine.update(id, { content: `Now it is ${n}` }, all)
      return
    case 2:
      if (id) await engine.update(id, { importance: n % 100 }, all)
      return
    case 3:
      if (id) await engine.delete(id, all)
      return
    case 4: {
      const { deleted } = await engine.deleted({ ...all, limit: 20 })
      if (deleted.length > 0) await engine.restore(deleted[next(deleted.length)]!.memory.id, all)
      return
    }
    case 5:
    case 6:
      await engine.context({ identifiers: shop, session })
      return
    case 7:
      await say(engine, session, `Jellyfin takes 45 seconds${n % 3 === 0 ? '' : ` on host ${n}`}`)
      return
    case 8:
      await engine.endSession(`run-${next(4)}`, { exitCode: n % 2 })
      return
    case 9:
      await engine.personality.set({ agentName: `agent-${n % 3}`, displayName: 'A', persona: `Of ${n}.` })
      return
    case 10:
      await (n % 3 === 0
        ? engine.directory.remove('project', 'shop')
        : engine.directory.set({ ...shop, teamId: `t${n}` }))
      return
    case 11:
      await engine.tokens.create({ name: `token-${n}`, scope: 'read' })
      return
    default:
      clock.at += 9 * 86_400_000
      await engine.sweep()
      await engine.record({ type: 'hint', projectId: 'shop', summary: `Look at log ${n}` }, { session })
  }
}

/** A store with writes before and after every few pages of a read. Pages are short. */
async function livingSource(seed: number, writes: number): Promise<{ source: Storage; still: Storage }> {
  const shared = referenceData()
  const still = referenceStorage({ shared })
  await fill(still)
  const engine = await openOn(referenceStorage({ shared }))
  const next = numbers(seed)
  let left = writes
  const maybeWrite = async () => {
    if (left === 0 || next(3) > 0) return
    left--
    await writeSomething(engine, next)
  }
  const READS = new Set(['memories', 'changes', 'sessions', 'injections', 'events', 'documents', 'get'])
  const source = new Proxy(referenceStorage({ shared }), {
    get(storage, name) {
      const value: unknown = Reflect.get(storage, name)
      if (typeof value !== 'function' || !READS.has(String(name))) return value
      return async (query: { limit?: number }, ...rest: unknown[]) => {
        await maybeWrite()
        const short = typeof query === 'object' && 'limit' in query ? { ...query, limit: 3 } : query
        const answer: unknown = await (value as (...args: unknown[]) => Promise<unknown>).call(storage, short, ...rest)
        await maybeWrite()
        return answer
      }
    },
  })
  return { source, still }
}

describe('writes to the source during the move', () => {
  it.each(Array.from({ length: 16 }, (_, seed) => seed + 1))('arrive as they were made (seed %i)', async (seed) => {
    const { source, still } = await livingSource(seed, 60)
    const target = sqliteStorage({ path: ':memory:' })
    const moved = await move(source, target)
    expect(await dump(target)).toEqual(await dump(still))
    expect(moved).toMatchObject({ verified: true, settled: true })
    expect(moved.rounds).toBeGreaterThan(2)
    await target.shutdown()
  })

  it('never end: it says so instead of going on for ever', async () => {
    const { source, still } = await livingSource(1, 0)
    const shared = referenceData()
    const target = referenceStorage({ shared })
    const engine = await openOn(still)
    const restless = new Proxy(source, {
      get(storage, name) {
        if (name !== 'events') return Reflect.get(storage, name)
        return async (...args: Parameters<Storage['events']>) => {
          const summary = `Look at ${clock.at}`
          if (args[0].after === null) await engine.record({ type: 'hint', projectId: 'shop', summary })
          return storage.events(...args)
        }
      },
    })
    expect(await move(restless, target)).toMatchObject({ verified: false, settled: false, rounds: 20 })
  })
})
