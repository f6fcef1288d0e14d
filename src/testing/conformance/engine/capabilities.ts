import { expect } from 'vitest'
import { MemoryError } from '../../../model/errors.ts'
import { LAYERS } from '../../../model/layer.ts'
import type { Capabilities } from '../../../storage/capabilities.ts'
import type { Commit, Write } from '../../../storage/commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { interceptStorage } from '../../intercept-storage.ts'
import { group } from '../group.ts'
import { ALL, contentsOf, failure, identifiersFor, sample } from '../samples.ts'
import { MODEL } from '../store-under-test.ts'

/** The same storage with a plainer backend's capabilities. Anything beyond those is an error. */
function lessAble(storage: Storage, less: Partial<Capabilities>): Storage {
  const own = storage.capabilities
  const capabilities: Capabilities = {
    vectorSearch: own.vectorSearch && less.vectorSearch !== false,
    keywordSearch: own.keywordSearch && less.keywordSearch !== false,
    maxWrites: Math.min(own.maxWrites, less.maxWrites ?? own.maxWrites),
    maxBytes: Math.min(own.maxBytes, less.maxBytes ?? own.maxBytes),
    maxContentLength: own.maxContentLength,
  }
  const strict = interceptStorage(storage, {
    before(method, args) {
      if (method === 'search') refuseSearch(args[0] as Parameters<Storage['search']>[0], capabilities)
      if (method === 'commit') refuseCommit(args[0] as Commit, capabilities)
    },
  })
  return new Proxy(strict, {
    get: (target, property) => (property === 'capabilities' ? capabilities : Reflect.get(target, property, target)),
  })
}

function refuseSearch(queries: Parameters<Storage['search']>[0], { vectorSearch, keywordSearch }: Capabilities): void {
  for (const { vector, tokens } of queries) {
    if (vector && !vectorSearch) throw new Error('searched by vector')
    if (tokens.length > 0 && !keywordSearch) throw new Error('searched by token')
  }
}

function refuseCommit({ writes }: Commit, { maxWrites, maxBytes }: Capabilities): void {
  if (writes.length > maxWrites) throw new Error(`${writes.length} writes in a commit`)
  const bytes = writes.reduce((sum, write) => sum + weigh(write), 0)
  if (writes.length > 1 && bytes > maxBytes) throw new Error(`${bytes} bytes in a commit`)
}

/** As JSON, without vectors. */
function weigh(write: Write): number {
  const json = JSON.stringify(write, (_, value: unknown) => (value instanceof Float32Array ? null : value))
  return Buffer.byteLength(json)
}

const SHOP = { projectId: 'shop' }

export const capabilityCases = group('engine: capabilities', (it) => {
  it('[D16] reports its capabilities, with the dimensions and metric of the embeddings', async (store) => {
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
  })

  it('[D01] has every method of the contract', async (store) => {
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

  it('[D16] without a search of its own, the engine finds the same memories in the same order', async (store) => {
    const own = await store.engine()
    const identifiers = identifiersFor('a')
    const facts = [
      'Disk alerts fire at night',
      'Disk checks run at noon',
      'Night builds fill the disk',
      'Ночью диск полон, и й и ё',
      'ディスクが夜に満ちる',
      'Unrelated remark',
    ]
    await own.bulkAdd(
      LAYERS.flatMap((layer) => facts.map((fact) => sample({ content: `${fact} (${layer})`, layer, identifiers }))),
    )
    for (const less of [
      { keywordSearch: false },
      { vectorSearch: false },
      { keywordSearch: false, vectorSearch: false },
    ]) {
      const plain = await store.engine({ wrap: (storage) => lessAble(storage, less) })
      for (const layers of [undefined, ['task', 'company'] as const]) {
        for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
          for (const query of ['disk at night', 'диск ночью', 'ディスク']) {
            const request = { query, identifiers, mode, threshold: 0, limit: 100 }
            const narrowed = layers ? { ...request, layers: [...layers] } : request
            const found = await own.search(narrowed)
            const fallback = await plain.search(narrowed)
            expect(found.results.length, `${mode} ${query}`).toBeGreaterThan(0)
            expect(contentsOf(fallback.results), `${mode} ${query}`).toEqual(contentsOf(found.results))
            expect(fallback.searchedLayers).toEqual(found.searchedLayers)
          }
        }
      }
    }
  })

  for (const less of [{ maxWrites: 1 }, { maxWrites: 7 }, { maxBytes: 4000 }]) {
    it(`[D16] everything works in commits of ${JSON.stringify(less)}, and none is larger`, async (store) => {
      const engine = await store.engine({ wrap: (storage) => lessAble(storage, less), retry: { retries: 0 } })
      const shop = engine.as(SHOP)
      const inputs = Array.from({ length: 23 }, (_, i) =>
        sample({ content: `Fact number ${i}`, session: `run-${i % 9}`, metadata: { text: 'x'.repeat(300) } }),
      )
      const { memories } = await engine.bulkAdd(inputs, { key: 'bulk' })
      expect(memories).toHaveLength(23)
      expect((await engine.bulkAdd(inputs, { key: 'bulk' })).memories).toEqual(memories)
      expect((await engine.list(ALL)).totalCount).toBe(23)
      const candidates = Array.from({ length: 9 }, (_, i) => ({
        content: `The worker number ${i} of the queue answers on port ${9000 + i}`,
        category: 'behavior' as const,
        service: `svc${i}`,
      }))
      const outcomes = await shop.remember(candidates, { session: 'run-1' })
      expect(outcomes.map(({ kind }) => kind)).toEqual(Array(9).fill('insert'))
      const again = await shop.remember(candidates, { session: 'run-1' })
      expect(again.map(({ kind }) => kind)).toEqual(Array(9).fill('duplicate'))
      const { included } = await shop.context({ session: 'run-2', key: 'shown' })
      expect(included.length).toBeGreaterThan(20)
      await shop.context({ session: 'run-2', key: 'shown' })
      const { injections } = await shop.injections({ session: 'run-2', limit: 100 })
      expect(injections).toHaveLength(included.length)
      for (const { id } of included) expect((await shop.get(id))?.recallCount).toBe(1)
      await engine.directory.set({ projectId: 'shop', teamId: 'red', orgId: 'sales', companyId: 'acme' })
      expect(await engine.directory.list()).toHaveLength(3)
      const ids = memories.map(({ id }) => id)
      expect(await engine.bulkDelete(ids, ALL)).toEqual({ deleted: 23, failed: [] })
      expect((await engine.list(ALL)).totalCount).toBe(9)
      await engine.sweep()
    })
  }

  it('[D16] a bulk that fails halfway reports how much is stored, and resumes there', async (store) => {
    let commits = 0
    let broken = true
    const engine = await store.engine({
      retry: { retries: 0 },
      wrap: (storage) =>
        interceptStorage(lessAble(storage, { maxWrites: 1 }), {
          before(method) {
            if (method === 'commit' && ++commits > 3 && broken)
              throw new MemoryError('PROVIDER_ERROR', 'The cable is out.')
          },
        }),
    })
    const inputs = Array.from({ length: 8 }, (_, i) => sample({ content: `Fact ${i}` }))
    const error = await failure(engine.bulkAdd(inputs, { key: 'k' }), 'PROVIDER_ERROR')
    expect(error.details).toMatchObject({ stored: 3 })
    expect((await engine.list(ALL)).totalCount).toBe(3)
    broken = false
    const { memories } = await engine.bulkAdd(inputs, { key: 'k' })
    expect(contentsOf(memories)).toEqual(inputs.map(({ content }) => content))
    expect((await engine.list(ALL)).totalCount).toBe(8)
  })

  it('recognises the handle of another model', async (store) => {
    const engine = await store.engine()
    await engine.add(sample())
    const storage = await store.storage(MODEL)
    expect((await storage.stats()).models).toEqual([engine.embedding.name])
  })
})
