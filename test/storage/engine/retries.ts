import { expect } from 'vitest'
import { MemoryError } from '../../../src/model/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, failure, sample } from '../../../src/testing/conformance/samples.ts'
import { fakeEmbedding } from '../../../src/testing/fake-embedder.ts'
import { failing, interceptStorage } from '../../../src/testing/intercept-storage.ts'

const QUICK = { retries: 3, baseMs: 2, factor: 2, maxMs: 20 }
const SHOP = { identifiers: { projectId: 'shop' } }

function transient(): MemoryError {
  return new MemoryError('PROVIDER_ERROR', 'The connection was reset.')
}

export const retryCases = group('engine: retries', (it) => {
  it('[D24] a write that fails three times succeeds on the third retry, and is stored once', async (store) => {
    const fault = failing('commit', transient(), 3)
    const engine = await store.engine({ retry: QUICK, wrap: (storage) => interceptStorage(storage, { before: fault }) })
    await engine.add(sample())
    expect(fault.calls).toBe(4)
    expect((await engine.list(ALL)).totalCount).toBe(1)
  })

  it('[D24] after three retries it is PROVIDER_ERROR, retryable, and nothing is stored', async (store) => {
    const fault = failing('commit', transient(), 4)
    const engine = await store.engine({ retry: QUICK, wrap: (storage) => interceptStorage(storage, { before: fault }) })
    const error = await failure(engine.add(sample()), 'PROVIDER_ERROR')
    expect(error).toMatchObject({ retryable: true, operation: 'add' })
    expect(fault.calls).toBe(4)
    expect((await engine.list(ALL)).totalCount).toBe(0)
  })

  it('[D24] three retries unless told otherwise', async (store) => {
    const fault = failing('commit', transient(), 9)
    const options = { retry: { baseMs: 1 }, wrap: (storage: Storage) => interceptStorage(storage, { before: fault }) }
    const engine = await store.engine(options)
    await failure(engine.add(sample()), 'PROVIDER_ERROR')
    expect(fault.calls).toBe(4)
  })

  for (const [method, times] of [
    ['get', 1],
    ['memories', 3],
    ['changes', 2],
  ] as const) {
    it(`[D24] a read through ${method} is tried again`, async (store) => {
      const fault = failing(method, transient(), times)
      const engine = await store.engine({
        retry: QUICK,
        wrap: (storage) => interceptStorage(storage, { before: fault }),
      })
      const { memory } = await engine.add(sample())
      if (method === 'get') expect(await engine.get(memory.id, ALL)).toEqual(memory)
      if (method === 'memories') expect((await engine.list(ALL)).totalCount).toBe(1)
      if (method === 'changes') expect((await engine.history(memory.id, ALL)).changes).toHaveLength(1)
      expect(fault.calls).toBe(times + 1)
    })
  }

  it('[D24] a search is tried again, in every mode', async (store) => {
    for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
      let failures = 0
      const engine = await store.engine({
        retry: QUICK,
        wrap: (storage) =>
          interceptStorage(storage, {
            before(method) {
              if (!['search', 'memories'].includes(method) || failures === 2) return
              failures++
              throw transient()
            },
          }),
      })
      await engine.add(sample())
      const { results } = await engine.search({ ...SHOP, query: sample().content!, mode })
      expect(results.length, mode).toBeGreaterThan(0)
      expect(failures, mode).toBe(2)
    }
  })

  it('[D24] what a backend throws without a code is PROVIDER_ERROR with its cause', async (store) => {
    const cause = new TypeError('x is not a function')
    const fault = failing('commit', cause, 9)
    const engine = await store.engine({ retry: QUICK, wrap: (storage) => interceptStorage(storage, { before: fault }) })
    const error = await failure(engine.add(sample()), 'PROVIDER_ERROR')
    expect(error.cause).toBe(cause)
    expect(error.operation).toBe('add')
  })

  it('[D24] a transient failure of the embedder is tried again too', async (store) => {
    const embedding = fakeEmbedding()
    embedding.fail(new MemoryError('EMBEDDING_FAILED', 'The model is loading.'), 3)
    const engine = await store.engine({ embedding, retry: QUICK })
    expect((await engine.add(sample())).embeddingGenerated).toBe(true)
    expect(embedding.calls).toHaveLength(4)
    embedding.fail(new MemoryError('EMBEDDING_FAILED', 'The model is loading.'), 4)
    const error = await failure(engine.add(sample({ content: 'other' })), 'EMBEDDING_FAILED')
    expect(error.retryable).toBe(true)
  })

  it('[D25] still limited after the retries: RATE_LIMITED, retryable, with the delay', async (store) => {
    const embedding = fakeEmbedding()
    embedding.fail(new MemoryError('RATE_LIMITED', 'Slow down.', { details: { retryAfterMs: 5 } }))
    const engine = await store.engine({ embedding, retry: QUICK })
    const error = await failure(engine.search({ ...SHOP, query: 'anything' }), 'RATE_LIMITED')
    expect(error).toMatchObject({ retryable: true, operation: 'search' })
    expect(error.details).toMatchObject({ retryAfterMs: 5 })
    expect(embedding.calls).toHaveLength(4)
  })
})
