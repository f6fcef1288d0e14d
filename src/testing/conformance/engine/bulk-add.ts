import { describe, expect, it } from 'vitest'
import { MemoryError } from '../../model/errors.ts'
import { fakeEmbedding } from '../fake-embedder.ts'
import { interceptStorage } from '../intercept-storage.ts'
import { contentsOf, failure, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

export function describeBulkAdd(target: ConformanceTarget): void {
  describe('bulkAdd', () => {
    const store = useStore(target)

    it('[D16] stores all, returns them in order, and works whether or not the backend has bulk operations', async () => {
      const engine = await store.engine()
      const inputs = Array.from({ length: 30 }, (_, i) => sample({ content: `Fact number ${i}`, tags: [`t${i}`] }))
      const { memories } = await engine.bulkAdd(inputs)
      expect(contentsOf(memories)).toEqual(inputs.map((input) => input.content))
      expect(new Set(memories.map((memory) => memory.id)).size).toBe(30)
      for (const memory of [memories[0]!, memories[29]!]) expect(await engine.get(memory.id)).toEqual(memory)
      expect((await engine.list()).totalCount).toBe(30)
      const { results } = await engine.search({ query: 'Fact number 17', identifiers: { projectId: 'shop' } })
      expect(contentsOf(results)).toContain('Fact number 17')
    })

    it('embeds in one call, each text once', async () => {
      const embedding = fakeEmbedding()
      const engine = await store.engine({ embedding })
      await engine.bulkAdd(['one', 'two', 'one'].map((content) => sample({ content })))
      expect(embedding.calls).toEqual([['one', 'two']])
      expect((await engine.stats()).vectors.missing).toBe(0)
      expect((await engine.list()).totalCount).toBe(3)
    })

    it('takes different layers in one call', async () => {
      const engine = await store.engine()
      await engine.bulkAdd([sample(), sample({ layer: 'user', identifiers: { userId: 'ann' } })])
      expect((await engine.stats()).byLayer).toEqual({ project: 1, user: 1 })
    })

    it('one bad entry refuses all of them, naming its place', async () => {
      const engine = await store.engine()
      const wrong = await failure(engine.bulkAdd([sample(), sample({ content: '' })]), 'INVALID_INPUT')
      expect(wrong.details.field).toMatch(/\[1\]\.content$/)
      expect(wrong.operation).toBe('bulkAdd')
      await failure(engine.bulkAdd([sample(), sample({ layer: 'user' })]), 'MISSING_IDENTIFIER')
      await failure(engine.bulkAdd([]), 'INVALID_INPUT')
      expect((await engine.list({ includeInactive: true })).totalCount).toBe(0)
    })

    it('a store that fails halfway leaves nothing', async () => {
      let commits = 0
      let broken = false
      const engine = await store.engine({
        retry: { retries: 0 },
        wrap: (storage) =>
          interceptStorage(storage, (method, args) => {
            if (method !== 'commit' || broken) return
            const writes = args[0] as readonly { kind: string }[]
            commits += writes.length
            if (commits > 2) {
              // The store works again afterwards, so that what was stored can be taken back.
              broken = true
              throw new MemoryError('PROVIDER_ERROR', 'The disk is full.', { retryable: false })
            }
          }),
      })
      const inputs = Array.from({ length: 5 }, (_, i) => sample({ content: `Fact ${i}` }))
      await failure(engine.bulkAdd(inputs), 'PROVIDER_ERROR')
      expect((await engine.list({ includeInactive: true })).totalCount).toBe(0)
    })

    it('a failing embedder stores nothing', async () => {
      const embedding = fakeEmbedding()
      const engine = await store.engine({ embedding, retry: { retries: 0 } })
      embedding.fail(new MemoryError('EMBEDDING_FAILED', 'The model is gone.'))
      await failure(engine.bulkAdd([sample(), sample({ content: 'two' })]), 'EMBEDDING_FAILED')
      expect((await engine.list()).totalCount).toBe(0)
    })
  })
}
