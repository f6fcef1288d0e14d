import { expect, vi } from 'vitest'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { failure } from '../samples.ts'
import { MODEL } from '../store-under-test.ts'
import { AT, commit, hashOf, idOf, insert, numbers, query, question, write } from './writing.ts'

const page = { after: null, limit: 5 }

/** Every method except shutdown and the optional ones. */
const CALLS: Record<
  Exclude<
    keyof Storage,
    'name' | 'capabilities' | 'shutdown' | 'follow' | 'pool' | 'upgrade' | 'tend' | 'indexProblem'
  >,
  (storage: Storage) => Promise<unknown>
> = {
  initialize: (storage) => storage.initialize(MODEL),
  ping: (storage) => storage.ping(),
  commit: (storage) => commit(storage, [insert(1)]),
  known: (storage) => storage.known(['a']),
  get: (storage) => storage.get([idOf(1)]),
  memories: (storage) => storage.memories(query()),
  search: (storage) => storage.search([question()]),
  embeddings: (storage) => storage.embeddings([hashOf('a')]),
  changes: (storage) => storage.changes({ memory: null, ...page }),
  sessions: (storage) => storage.sessions({ any: null, ...page }),
  injections: (storage) => storage.injections({ session: null, memory: null, ...page }),
  events: (storage) => storage.events({ any: null, ...page }),
  documents: (storage) => storage.documents('token'),
  stats: (storage) => storage.stats(),
  tally: (storage) => storage.tally({ scopes: null, visibleAt: AT, since: AT }),
  prune: (storage) => storage.prune({ sessions: null, events: AT, showings: null, dryRun: true }),
  purge: (storage) => storage.purge({ before: '2020-01-01T00:00:00.000Z', dryRun: true }),
}

export const lifecycleCases = group('initialize, ping and shutdown', (it) => {
  it('reports its capabilities', async (store) => {
    const storage = await store.handle()
    expect(storage.name).toMatch(/^\S+$/)
    const { vectorSearch, keywordSearch, maxWrites, maxBytes, maxContentLength } = storage.capabilities
    expect([vectorSearch, keywordSearch].every((value) => typeof value === 'boolean')).toBe(true)
    expect(maxWrites).toBeGreaterThanOrEqual(1)
    expect(maxBytes).toBeGreaterThanOrEqual(1000)
    expect(maxContentLength).toBeGreaterThanOrEqual(800)
  })

  it('initialize may be called again, and by several handles at once', async (store) => {
    const handles = await Promise.all([store.handle(), store.handle(), store.handle()])
    await Promise.all(handles.map((handle) => handle.initialize(MODEL)))
    await write(handles[0]!, [insert(1)])
    await handles[0]!.initialize(MODEL)
    for (const handle of handles) {
      await handle.ping()
      expect(await numbers(handle)).toEqual([1])
    }
  })

  it('shutdown is final, and may be repeated', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(3)])
    await storage.shutdown()
    await storage.shutdown()
    for (const [name, call] of Object.entries(CALLS)) {
      const error = await failure(call(storage), 'PROVIDER_ERROR')
      expect(error.retryable, name).toBe(false)
    }
    expect(await numbers(other)).toEqual([3])
    await write(other, [insert(4)])
    expect(await numbers(await store.storage())).toEqual([4, 3])
  })

  it('writes acknowledged during shutdown are kept, and the rest may be repeated', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const attempt = (handle: Storage, number: number) => commit(handle, [insert(number)], { key: `commit ${number}` })
    const wanted = [5, 4, 3, 2, 1]
    const underWay = wanted.map((number) => attempt(storage, number))
    const [outcomes] = await Promise.all([Promise.allSettled(underWay), storage.shutdown()])
    const kept = new Set(await numbers(other))
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') await failure(underWay[i]!, 'PROVIDER_ERROR')
      else expect(kept, `commit ${wanted[i]}`).toContain(wanted[i])
    }
    for (const number of wanted) expect(await attempt(other, number)).toMatchObject({ applied: true, changed: 1 })
    expect(await numbers(other)).toEqual(wanted)
  })

  it('a handle that was never initialized can be shut down', async (store) => {
    const storage = await store.handle()
    await storage.shutdown()
    expect((await failure(storage.initialize(MODEL), 'PROVIDER_ERROR')).retryable).toBe(false)
  })

  it('a store that reports writes notifies every handle soon, until it unsubscribes', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const told = [0, 0]
    const ends = await Promise.all([storage, other].map((each, i) => each.follow?.(() => told[i]!++)))
    await write(storage, [insert(1)])
    if (storage.follow) await vi.waitFor(() => expect(told.every((times) => times > 0)).toBe(true), 60_000)
    for (const end of ends) await end?.()
    const before = [...told]
    await write(storage, [insert(2)])
    await storage.shutdown()
    expect(told).toEqual(before)
  })
})
