import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Memory } from '../model/memory.ts'
import { openStorage } from '../storage/open-storage.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { registerStore } from '../storage/store-registry.ts'
import { fromProvider } from './from-provider.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

/** A provider with the ten methods and nothing else, which returns as little as allowed. */
async function ten() {
  const engine = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding() })
  return {
    initialize: async () => {},
    shutdown: async () => {},
    healthCheck: async () => ({ status: 'healthy' as const }),
    add: async (memory: object) => ({ memory: (await engine.add(memory as never, { exact: true })).memory }),
    search: async (request: object) => ({ results: (await engine.search(request as never)).results }),
    get: (id: string) => engine.get(id, { everything: true }),
    update: (id: string, patch: object) => engine.update(id, patch, { everything: true }),
    delete: (id: string) => engine.delete(id, { everything: true }),
    list: async (request: object) => ({ memories: (await engine.list(request as never)).memories }),
    generateEmbedding: async (text: string) => [...(await engine.generateEmbedding(text))],
  }
}

it('a provider of the ten methods is used where a memory is: plain forms, bulk and what it leaves out are filled in', async () => {
  let closed = 0
  const closing = async () => void closed++
  const provider = { ...(await ten()), shutdown: closing }
  await using memory = fromProvider(provider)
  onTestFinished(() => expect(closed).toBe(1))
  const { memory: added, outcome, embeddingGenerated } = await memory.add('Backups run at 3', { identifiers: SHOP })
  expect([added.content, outcome, embeddingGenerated]).toEqual(['Backups run at 3', 'insert', true])
  expect(fromProvider({ ...provider, capabilities: { maxContentLength: 9 } }).capabilities.maxContentLength).toBe(9)
  const many = await memory.bulkAdd([
    { content: 'One', identifiers: SHOP },
    { content: 'Two', identifiers: SHOP },
  ])
  expect(many.outcomes.map(({ kind }) => kind)).toEqual(['insert', 'insert'])
  const { results, totalCount } = await memory.search('backups run', { identifiers: SHOP, threshold: 0.5 })
  expect([results[0]?.memory.id, totalCount]).toEqual([added.id, results.length])
  expect(await memory.list({ identifiers: SHOP })).toMatchObject({ totalCount: 3, nextCursor: null })
  expect(await memory.bulkDelete([added.id], { everything: true })).toEqual({ deleted: 1, failed: [] })
  expect(await memory.get(added.id, { everything: true })).toBeNull()
  expect(await memory.healthCheck()).toMatchObject({ status: 'healthy', problems: [] })
  expect(memory.capabilities).toMatchObject({ bulkOperations: false })
  expect(await memory.generateEmbedding('x')).toBeInstanceOf(Float32Array)
})

it('a call of a provider that does not answer ends with its signal', async () => {
  const memory = fromProvider({ ...(await ten()), list: () => new Promise<never>(() => {}) })
  const controller = new AbortController()
  const reason = new Error('enough')
  const waiting = memory.list({ identifiers: SHOP, signal: controller.signal })
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  const added = memory.add('Backups run at 3', { identifiers: SHOP, signal: AbortSignal.abort(reason) })
  await expect(added).rejects.toBe(reason)
  expect(await memory.get('x', { everything: true, signal: new AbortController().signal })).toBeNull()
})

it('what lacks one of them is refused by its name, and is no store either', async () => {
  const { list: _, ...nine } = await ten()
  expect(() => fromProvider(nine as never)).toThrow(/list of its ten methods is missing/)
  await expect(openMemory({ storage: (await ten()) as never })).rejects.toThrow(/fromProvider.*nokosu\/provider/)
})

it('a third party registers the scheme of its stores, and none that is taken', async () => {
  const urls: string[] = []
  registerStore('shelf', (url) => {
    urls.push(url)
    return referenceStorage()
  })
  await using memory = await openMemory({ storage: 'shelf://host/1', embedding: hashingEmbedding() })
  const { memory: added }: { memory: Memory } = await memory.as(SHOP).add('Backups run at 3')
  expect([urls, added.layer]).toEqual([['shelf://host/1'], 'project'])
  expect(() => registerStore('sqlite', () => referenceStorage())).toThrow(/one of Nokosu’s own/)
  await expect(openStorage('bookcase://host')).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' })
})

it('what the provider offers itself is asked of it: bulk calls, counts, and whether a vector was made', async () => {
  const own = await ten()
  const asked: unknown[] = []
  const { memory: stored } = await own.add({ content: 'One', identifiers: SHOP })
  const memory = fromProvider({
    ...own,
    update: async () => ({ memory: stored, embeddingRegenerated: false }),
    bulkAdd: async (memories: readonly object[], options?: object) => {
      asked.push(memories, options)
      return { memories: [stored] }
    },
    bulkDelete: async (ids: readonly string[]) => ({ deleted: 0, failed: [...ids] }),
  })
  const added = await memory.bulkAdd(['One', { content: 'Two', identifiers: SHOP }], { key: 'k' })
  expect(asked).toEqual([[{ content: 'One' }, { content: 'Two', identifiers: SHOP }], { key: 'k' }])
  expect(added.outcomes).toMatchObject([{ kind: 'insert', content: 'One', reason: 'stored by the provider' }])
  expect(await memory.bulkDelete(['x'], { everything: true })).toEqual({ deleted: 0, failed: ['x'] })
  const all = { everything: true } as const
  expect((await memory.update('x', { content: 'Two' }, all)).embeddingRegenerated).toBe(false)
  expect((await fromProvider(own).update(stored.id, { tags: ['t'] }, all)).embeddingRegenerated).toBe(false)
  expect((await fromProvider(own).update(stored.id, { content: 'Two' }, all)).embeddingRegenerated).toBe(true)
  expect(await memory.delete(stored.id, all)).toEqual({ success: true })
  expect(await own.get(stored.id)).toBeNull()
})

it('parts of a call with a key have keys of their own where the provider takes one at a time', async () => {
  const own = await ten()
  const keys: unknown[] = []
  const memory = fromProvider({
    ...own,
    add: async (given: object, options?: object) => {
      keys.push(options)
      return own.add(given)
    },
  })
  const parts = [
    { content: 'One', identifiers: SHOP },
    { content: 'Two', identifiers: SHOP },
  ]
  await memory.bulkAdd(parts, { key: 'k' })
  await memory.bulkAdd(parts)
  expect(keys).toEqual([{ key: 'k/0' }, { key: 'k/1' }, {}, {}])
})
