import { expect } from 'vitest'
import { MemoryError } from '../../../model/errors.ts'
import { fakeEmbedding } from '../../fake-embedder.ts'
import { group } from '../group.ts'
import { ALL, contentsOf, failure, sample } from '../samples.ts'

export const bulkAddCases = group('engine: bulkAdd', (it) => {
  it('[D16] stores all, returns them in order, and works whether or not the backend has bulk operations', async (store) => {
    const engine = await store.engine()
    const inputs = Array.from({ length: 30 }, (_, i) => sample({ content: `Fact number ${i}`, tags: [`t${i}`] }))
    const { memories } = await engine.bulkAdd(inputs)
    expect(contentsOf(memories)).toEqual(inputs.map((input) => input.content))
    expect(new Set(memories.map((memory) => memory.id)).size).toBe(30)
    for (const memory of [memories[0]!, memories[29]!]) expect(await engine.get(memory.id, ALL)).toEqual(memory)
    expect((await engine.list(ALL)).totalCount).toBe(30)
    const { results } = await engine.search({ query: 'Fact number 17', identifiers: { projectId: 'shop' } })
    expect(contentsOf(results)).toContain('Fact number 17')
  })

  it('embeds in one call, each text once', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    await engine.bulkAdd(['one', 'two', 'one'].map((content) => sample({ content })))
    expect(embedding.calls).toEqual([['one', 'two']])
    expect((await engine.healthCheck()).status).toBe('healthy')
    expect((await engine.list(ALL)).totalCount).toBe(3)
  })

  it('takes different layers in one call', async (store) => {
    const engine = await store.engine()
    await engine.bulkAdd([sample(), sample({ layer: 'user', identifiers: { userId: 'ann' } })])
    expect((await engine.stats()).byLayer).toEqual({ project: 1, user: 1 })
  })

  it('one invalid entry rejects all, and the error names its index', async (store) => {
    const engine = await store.engine()
    const wrong = await failure(engine.bulkAdd([sample(), sample({ content: '' })]), 'INVALID_INPUT')
    expect(wrong.details.field).toMatch(/\[1\]\.content$/)
    expect(wrong.operation).toBe('bulkAdd')
    await failure(engine.bulkAdd([sample(), sample({ layer: 'user' })]), 'MISSING_IDENTIFIER')
    await failure(engine.bulkAdd([]), 'INVALID_INPUT')
    expect((await engine.list({ ...ALL, includeInactive: true })).totalCount).toBe(0)
  })

  it('a failing embedder stores nothing', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding, retry: { retries: 0 } })
    embedding.fail(new MemoryError('EMBEDDING_FAILED', 'The model is gone.'))
    await failure(engine.bulkAdd([sample(), sample({ content: 'two' })]), 'EMBEDDING_FAILED')
    expect((await engine.list(ALL)).totalCount).toBe(0)
  })
})
