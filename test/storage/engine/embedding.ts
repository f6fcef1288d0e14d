import { expect } from 'vitest'
import { MemoryError } from '../../../src/model/errors.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, contentsOf, failure, sample } from '../../../src/testing/conformance/samples.ts'
import { fakeEmbedding } from '../../../src/testing/fake-embedder.ts'

const SHOP = { identifiers: { projectId: 'shop' } }

export const embeddingCases = group('engine: embeddings', (it) => {
  it('[D01] generateEmbedding gives a unit vector of the model, the same for the same text', async (store) => {
    const engine = await store.engine()
    const vector = await engine.generateEmbedding('Caches are warmed at six')
    expect(vector).toBeInstanceOf(Float32Array)
    expect(vector).toHaveLength(engine.capabilities.embeddingDimensions)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(await engine.generateEmbedding('Caches are warmed at six')).toEqual(vector)
  })

  it('generateEmbedding hands out a copy: changing it does not spoil later searches', async (store) => {
    const engine = await store.engine()
    await engine.add(sample({ content: 'Caches are warmed at six' }))
    const vector = await engine.generateEmbedding('Caches are warmed at six')
    vector.fill(0)
    const again = await engine.generateEmbedding('Caches are warmed at six')
    expect(Math.hypot(...again)).toBeCloseTo(1, 5)
  })

  it('[D19] the embedding is stored with the memory, and found by another handle', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding() })
    const { memory, embeddingGenerated } = await engine.add(sample({ content: 'Caches are warmed at six' }))
    expect(embeddingGenerated).toBe(true)
    const { name, dimensions } = engine.embedding
    const storage = await store.storage({ name, dimensions })
    const [stored] = await storage.get([memory.id])
    const expected = await engine.generateEmbedding('Caches are warmed at six')
    for (const [i, value] of expected.entries()) expect(stored!.vector![i]).toBeCloseTo(value, 3)
    expect((await storage.stats()).models).toEqual([name])
  })

  it('[D19] content seen before does not call the embedder, in this handle or another', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    await engine.add(sample())
    const again = await engine.add(sample())
    expect(again.embeddingGenerated).toBe(false)
    expect(embedding.calls).toHaveLength(1)
    const later = fakeEmbedding()
    const other = await store.engine({ embedding: later })
    expect((await other.add(sample())).embeddingGenerated).toBe(false)
    expect(later.calls).toEqual([])
    expect((await other.search({ ...SHOP, query: sample().content, mode: 'semantic' })).results.length).toBeGreaterThan(
      0,
    )
  })

  it('[D19] the cache outlives the memory, and is kept apart by model and by exact text', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    const { memory } = await engine.add(sample({ content: 'Some text' }))
    await engine.add(sample({ content: 'some text' }))
    expect(embedding.calls).toHaveLength(2)
    await engine.delete(memory.id, ALL)
    const later = fakeEmbedding()
    const other = await store.engine({ embedding: later })
    await other.add(sample({ content: 'Some text' }))
    expect(later.calls).toEqual([])
    const another = fakeEmbedding({ name: 'another' })
    const third = await store.engine({ embedding: another })
    expect((await third.add(sample({ content: 'Some text' }))).embeddingGenerated).toBe(true)
    expect(another.calls).toEqual([['Some text']])
  })

  it('a query asked again does not call the embedder', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    await engine.search({ ...SHOP, query: 'warm caches' })
    await engine.search({ ...SHOP, query: 'warm caches' })
    expect(embedding.calls).toEqual([['warm caches']])
  })

  it('a failing embedder fails add with EMBEDDING_FAILED and stores nothing', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding, retry: { retries: 0 } })
    embedding.fail(new MemoryError('EMBEDDING_FAILED', 'The model is gone.'))
    const error = await failure(engine.add(sample()), 'EMBEDDING_FAILED')
    expect(error).toMatchObject({ retryable: true, operation: 'add' })
    expect((await engine.list(ALL)).totalCount).toBe(0)
    embedding.recover()
    await engine.add(sample())
    expect((await engine.list(ALL)).totalCount).toBe(1)
  })

  it('reembed gives every memory a vector of the current model, and search compares only those', async (store) => {
    const old = await store.engine({ embedding: fakeEmbedding({ name: 'old' }) })
    const contents = Array.from({ length: 70 }, (_, i) => `Caches are warmed by job ${i}`)
    const { memories } = await old.bulkAdd(contents.map((content) => sample({ content })))
    await old.update(memories[3]!.id, { active: false }, ALL)
    const embedding = fakeEmbedding({ name: 'new', dimensions: 32 })
    const engine = await store.engine({ embedding })
    expect((await engine.stats()).models).toEqual([old.embedding.name])
    const progress: [number, number][] = []
    expect(await engine.reembed({ onProgress: (done, total) => progress.push([done, total]) })).toEqual({
      embedded: 70,
    })
    expect([progress[0], progress.at(-1)]).toEqual([
      [0, 70],
      [70, 70],
    ])
    expect(progress.every(([, total]) => total === 70)).toBe(true)
    expect((await engine.stats()).models).toContain(embedding.name)
    const search = { ...SHOP, query: 'Caches are warmed by job 42', mode: 'semantic' as const }
    expect(contentsOf((await engine.search(search)).results)[0]).toBe('Caches are warmed by job 42')
    expect((await old.search(search)).results).toEqual([])
    expect(await engine.get(memories[5]!.id, ALL)).toEqual(memories[5])
    expect(await engine.reembed()).toEqual({ embedded: 0 })
  })

  it('reembed stops when told to, and goes on where it was', async (store) => {
    const old = await store.engine({ embedding: fakeEmbedding({ name: 'old' }) })
    await old.bulkAdd(Array.from({ length: 130 }, (_, i) => sample({ content: `Job ${i}` })))
    const engine = await store.engine({ embedding: fakeEmbedding({ name: 'new' }) })
    const controller = new AbortController()
    const stop = (done: number) => done > 0 && controller.abort(new Error('enough'))
    await expect(engine.reembed({ onProgress: stop, signal: controller.signal })).rejects.toThrow('enough')
    const { embedded } = await engine.reembed()
    expect(embedded).toBeGreaterThan(0)
    expect(embedded).toBeLessThan(130)
    expect(await engine.reembed()).toEqual({ embedded: 0 })
  })
})
