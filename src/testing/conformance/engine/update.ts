import { expect } from 'vitest'
import type { Memory } from '../../../model/memory.ts'
import { fakeEmbedding } from '../../fake-embedder.ts'
import { group } from '../group.ts'
import { ALL, clock, failure, sample } from '../samples.ts'

export const updateCases = group('engine: update', (it) => {
  it('[D08] new content is embedded again, and updates the time', async (store) => {
    const time = clock()
    const embedding = fakeEmbedding()
    const engine = await store.engine({ now: time.now, embedding })
    const { memory } = await engine.add(sample({ content: 'Backups run on the old server' }))
    time.advance(1000)
    const { memory: updated, embeddingRegenerated } = await engine.update(
      memory.id,
      {
        content: 'Certificates renew monthly',
      },
      ALL,
    )
    expect(embeddingRegenerated).toBe(true)
    expect(embedding.calls.flat()).toEqual(['Backups run on the old server', 'Certificates renew monthly'])
    expect(updated).toEqual({
      ...memory,
      content: 'Certificates renew monthly',
      updatedAt: '2026-03-01T00:00:01.000Z',
      version: 2,
    })
    expect(await engine.get(memory.id, ALL)).toEqual(updated)
  })

  it('[D08] search finds the new content and no longer the old one', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ content: 'Backups run on the old server' }))
    await engine.update(memory.id, { content: 'Certificates renew monthly' }, ALL)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const find = async (query: string) =>
        (await engine.search({ query, mode, identifiers: { projectId: 'shop' } })).results.length
      expect(await find('certificates renew monthly'), mode).toBe(1)
      expect(await find('backups run on the old server'), mode).toBe(0)
    }
  })

  it('[D09] metadata alone is merged key by key, without embedding, and updates the time', async (store) => {
    const time = clock()
    const embedding = fakeEmbedding()
    const engine = await store.engine({ now: time.now, embedding })
    const { memory } = await engine.add(sample({ metadata: { a: 1, b: { x: 1, y: 2 } } }))
    const calls = embedding.calls.length
    time.advance(1000)
    const result = await engine.update(memory.id, { metadata: { b: { z: 3 }, c: null } }, ALL)
    expect(result.embeddingRegenerated).toBe(false)
    expect(embedding.calls).toHaveLength(calls)
    expect(result.memory.metadata).toEqual({ a: 1, b: { z: 3 }, c: null })
    expect(result.memory).toMatchObject({
      updatedAt: '2026-03-01T00:00:01.000Z',
      version: 2,
      content: memory.content,
    })
    expect(await engine.get(memory.id, ALL)).toEqual(result.memory)
    const found = await engine.search({ query: memory.content, mode: 'semantic', identifiers: { projectId: 'shop' } })
    expect(found.results).toHaveLength(1)
  })

  it('[D10] an unknown id is MEMORY_NOT_FOUND', async (store) => {
    const engine = await store.engine()
    const id = '01JNA000000000000000000000'
    const error = await failure(engine.update(id, { content: 'anything' }, ALL), 'MEMORY_NOT_FOUND')
    expect(error).toMatchObject({ operation: 'update', retryable: false })
    expect(error.details).toMatchObject({ id })
    expect((await engine.list(ALL)).totalCount).toBe(0)
  })

  it('replaces the given fields only', async (store) => {
    const engine = await store.engine()
    const original = (await engine.add(sample({ tags: ['a'], service: 'web', anchor: 'x:1', metadata: { k: 1 } })))
      .memory
    let expected: Memory = original
    const patches = [
      { category: 'timing' },
      { service: 'db' },
      { service: null },
      { tags: ['b', 'c'] },
      { tags: [] },
      { anchor: 'y:2' },
      { anchor: null },
      { importance: 0 },
      { confidence: 0.95 },
      { active: false },
      { active: true },
      { expiresAt: '2030-01-01T00:00:00.000Z' },
      { expiresAt: null },
    ] as const
    for (const patch of patches) {
      const { memory, embeddingRegenerated } = await engine.update(original.id, structuredClone(patch) as object, ALL)
      expected = {
        ...expected,
        ...(structuredClone(patch) as object),
        version: expected.version + 1,
        updatedAt: memory.updatedAt,
      }
      expect(memory, JSON.stringify(patch)).toEqual(expected)
      // The service is part of what a memory means.
      expect(embeddingRegenerated, JSON.stringify(patch)).toBe('service' in patch)
      expect(await engine.get(original.id, ALL)).toEqual(expected)
    }
  })

  it('the same content again is not embedded again', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    const { memory } = await engine.add(sample())
    await engine.update(memory.id, { content: memory.content, importance: 60 }, ALL)
    expect(embedding.calls.flat()).toEqual([memory.content])
  })

  it('an operator confidence of 0.3 or more reactivates an inactive memory; clamped', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    await engine.update(memory.id, { active: false }, ALL)
    expect((await engine.update(memory.id, { confidence: 0.3 }, ALL)).memory).toMatchObject({
      active: true,
      confidence: 0.3,
    })
    expect((await engine.update(memory.id, { confidence: 7 }, ALL)).memory.confidence).toBe(1)
  })

  it('succeeds with the current version; an older one is a CONFLICT', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    await engine.update(memory.id, { importance: 60, version: 1 }, ALL)
    const error = await failure(engine.update(memory.id, { importance: 70, version: 1 }, ALL), 'CONFLICT')
    expect(error).toMatchObject({ retryable: false, operation: 'update' })
    expect(error.details).toMatchObject({ id: memory.id })
    expect(await engine.get(memory.id, ALL)).toMatchObject({ importance: 60, version: 2 })
    await failure(engine.update(memory.id, { importance: 70, version: 3 }, ALL), 'CONFLICT')
  })

  it('[D23] content over the limit is CONTENT_TOO_LONG and changes nothing', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    const { maxContentLength } = engine.capabilities
    const call = engine.update(memory.id, { content: 'x'.repeat(maxContentLength + 1), importance: 1 }, ALL)
    expect((await failure(call, 'CONTENT_TOO_LONG')).details).toMatchObject({
      field: 'content',
      maxLength: maxContentLength,
    })
    expect(await engine.get(memory.id, ALL)).toEqual(memory)
  })

  it('another handle that searched before sees the change', async (store) => {
    const engine = await store.engine()
    const other = await store.engine()
    const { memory } = await engine.add(sample({ content: 'Backups run on the old server' }))
    const find = async (query: string) =>
      (await other.search({ query, identifiers: { projectId: 'shop' } })).results.length
    expect(await find('backups run on the old server')).toBe(1)
    await engine.update(memory.id, { content: 'Certificates renew monthly' }, ALL)
    expect(await find('backups run on the old server')).toBe(0)
    expect(await find('certificates renew monthly')).toBe(1)
    await engine.update(memory.id, { active: false }, ALL)
    expect(await find('certificates renew monthly')).toBe(0)
  })
})
