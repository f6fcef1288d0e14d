import { describe, expect, it } from 'vitest'
import { LAYERS } from '../../model/layer.ts'
import type { Storage } from '../../storage/storage.ts'
import { contentsOf, identifiersFor, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

/** The same storage without the named abilities, as a plainer backend would be. */
function without(
  storage: Storage,
  lacks: { keywordSearch?: boolean; vectorSearch?: boolean; bulkOperations?: boolean },
): Storage {
  const capabilities = { ...storage.capabilities }
  for (const name of Object.keys(lacks) as (keyof typeof lacks)[]) capabilities[name] = false
  return new Proxy(storage, {
    get(target, property) {
      if (property === 'capabilities') return capabilities
      if (property === 'searchKeyword' && lacks.keywordSearch) return undefined
      if (property === 'searchVector' && lacks.vectorSearch) return undefined
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export function describeCapabilities(target: ConformanceTarget): void {
  describe('capabilities', () => {
    const store = useStore(target)

    it('[D16] says what it can, with the dimensions and metric of the embeddings', async () => {
      const engine = await store.engine()
      expect(engine.capabilities).toEqual({
        vectorSearch: expect.any(Boolean),
        keywordSearch: expect.any(Boolean),
        bulkOperations: expect.any(Boolean),
        transactions: expect.any(Boolean),
        maxContentLength: expect.any(Number),
        embeddingDimensions: engine.embedding.dimensions,
        distanceMetrics: ['cosine'],
      })
      expect(engine.capabilities.maxContentLength).toBeGreaterThanOrEqual(800)
    })

    it('[D16] a storage has the method exactly when it claims the capability', async () => {
      const storage = await store.storage()
      expect(storage.searchVector !== undefined).toBe(storage.capabilities.vectorSearch)
      expect(storage.searchKeyword !== undefined).toBe(storage.capabilities.keywordSearch)
    })

    it('[D01] has every method of the contract', async () => {
      const engine = await store.engine()
      const methods = [
        'initialize',
        'shutdown',
        'healthCheck',
        'add',
        'search',
        'get',
        'update',
        'delete',
        'list',
      ] as const
      for (const name of [...methods, 'generateEmbedding', 'bulkAdd', 'bulkDelete'] as const) {
        expect(engine[name], name).toBeTypeOf('function')
      }
    })

    it('[D16] without a search of its own, the engine finds the same memories, and by meaning in the same order', async () => {
      const own = await store.engine()
      const plain = await store.engine({
        wrap: (storage) => without(storage, { keywordSearch: true, vectorSearch: true }),
      })
      expect(plain.capabilities).toMatchObject({ keywordSearch: false, vectorSearch: false })
      const identifiers = identifiersFor('a')
      const facts = [
        'Disk alerts fire at night',
        'Disk checks run at noon',
        'Night builds fill the disk',
        'Unrelated remark',
      ]
      await own.bulkAdd(
        LAYERS.flatMap((layer) => facts.map((fact) => sample({ content: `${fact} (${layer})`, layer, identifiers }))),
      )
      for (const layers of [undefined, ['task', 'company'] as const]) {
        for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
          const request = { query: 'disk at night', identifiers, mode, threshold: 0, limit: 100 }
          const narrowed = layers ? { ...request, layers: [...layers] } : request
          const found = await own.search(narrowed)
          const fallback = await plain.search(narrowed)
          expect(found.results.length, mode).toBeGreaterThan(0)
          expect(contentsOf(fallback.results).sort(), mode).toEqual(contentsOf(found.results).sort())
          expect(fallback.searchedLayers).toEqual(found.searchedLayers)
          if (mode === 'semantic') expect(fallback).toEqual(found)
        }
      }
    })

    it('[D16] without bulk operations, bulkAdd and bulkDelete work all the same', async () => {
      const engine = await store.engine({ wrap: (storage) => without(storage, { bulkOperations: true }) })
      expect(engine.capabilities.bulkOperations).toBe(false)
      const { memories } = await engine.bulkAdd(['one', 'two', 'three'].map((content) => sample({ content })))
      expect(memories).toHaveLength(3)
      expect((await engine.list()).totalCount).toBe(3)
      expect(await engine.bulkDelete(memories.map((memory) => memory.id))).toEqual({ deleted: 3, failed: [] })
      expect((await engine.list()).totalCount).toBe(0)
    })
  })
}
