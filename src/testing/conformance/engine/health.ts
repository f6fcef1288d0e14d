import { expect } from 'vitest'
import { MemoryError } from '../../../model/errors.ts'
import { fakeEmbedding } from '../../fake-embedder.ts'
import { interceptStorage } from '../../intercept-storage.ts'
import { group } from '../group.ts'
import { ALL, sample } from '../samples.ts'
import { MODEL } from '../store-under-test.ts'

export const healthCases = group('engine: initialize, shutdown and healthCheck', (it) => {
  it('[D01] a store that answers is healthy, with its latency', async (store) => {
    const engine = await store.engine()
    const health = await engine.healthCheck()
    expect(health).toEqual({ status: 'healthy', latencyMs: expect.any(Number), problems: [] })
    expect(health.latencyMs).toBeGreaterThanOrEqual(0)
  })

  it('a store that does not answer is unhealthy, and the report says why instead of throwing', async (store) => {
    const engine = await store.engine({
      wrap: (storage) =>
        interceptStorage(storage, {
          before(method) {
            if (method === 'ping') throw new MemoryError('PROVIDER_ERROR', 'The store is out to lunch.')
          },
        }),
    })
    const health = await engine.healthCheck()
    expect(health.status).toBe('unhealthy')
    expect(health.problems.join()).toContain('out to lunch')
  })

  it('memories without a vector of the current model: degraded, and says how to fix it', async (store) => {
    const old = await store.engine({ embedding: fakeEmbedding({ name: 'old' }) })
    await old.add(sample())
    const engine = await store.engine({ embedding: fakeEmbedding({ name: 'new' }) })
    const health = await engine.healthCheck()
    expect(health.status).toBe('degraded')
    expect(health.problems.join()).toContain('reembed')
    await engine.reembed()
    expect((await engine.healthCheck()).status).toBe('healthy')
  })

  it('initialize may be called again, and by several handles at once', async (store) => {
    const engine = await store.engine()
    await engine.add(sample())
    await engine.initialize()
    const handles = await Promise.all([store.storage(), store.storage(), store.storage()])
    await Promise.all(handles.map((handle) => handle.initialize(MODEL)))
    for (const handle of handles) expect((await handle.stats()).memories).toBe(1)
  })

  it('shutdown may be called twice, and does not affect other handles', async (store) => {
    const engine = await store.engine()
    const other = await store.engine()
    await engine.shutdown()
    await engine.shutdown()
    await other.add(sample())
    expect((await other.list(ALL)).totalCount).toBe(1)
  })

  it('stats count memories, active ones, layers, sessions and vectors', async (store) => {
    const engine = await store.engine()
    expect(await engine.stats()).toMatchObject({ memories: 0, active: 0, byLayer: {}, sessions: 0 })
    await engine.add(sample({ session: 'run-1' }))
    const { memory } = await engine.add(sample({ content: 'other' }))
    await engine.add(sample({ layer: 'user', identifiers: { userId: 'ann' } }))
    await engine.update(memory.id, { active: false }, ALL)
    expect(await engine.stats()).toMatchObject({
      memories: 3,
      active: 2,
      byLayer: { project: 2, user: 1 },
      sessions: 1,
      models: [engine.embedding.name],
    })
  })
})
