import { expect } from 'vitest'
import type { Write } from '../../../storage/commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import {
  commit,
  embeddingFor,
  expectVector,
  hashOf,
  idOf,
  insert,
  numberOf,
  numbers,
  query,
  question,
  record,
  remove,
  stored,
  update,
  vectorFor,
  write,
} from './writing.ts'

const OTHER = { name: 'm2', dimensions: 4 }

function embed(number: number, version: number, text: string): Write {
  return { kind: 'embed', id: idOf(number), version, embedding: embeddingFor(text) }
}

async function vectorOf(storage: Storage, number: number): Promise<Float32Array | null> {
  return (await storage.get([idOf(number)]))[0]!.vector
}

export const vectorCases = group('vectors', (it) => {
  it('kept by an update without one, replaced by one with a new one, removed by null', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(1, {}, { text: 'one' }), insert(2)])
    for (const handle of [storage, other]) expectVector(await vectorOf(handle, 1), 'one')
    expect(await vectorOf(storage, 2)).toBeNull()
    await write(storage, [update(1, 2)])
    expectVector(await vectorOf(other, 1), 'one')
    await write(storage, [update(1, 3, {}, { text: 'two' })])
    expectVector(await vectorOf(other, 1), 'two')
    await write(storage, [update(1, 4, {}, { text: null })])
    for (const handle of [storage, other]) expect(await vectorOf(handle, 1)).toBeNull()
  })

  it('embed adds or replaces a vector without a new version', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(1, { updatedAt: record(1).updatedAt }, { tokens: ['a'] })])
    await write(storage, [embed(1, 1, 'one')])
    expectVector(await vectorOf(other, 1), 'one')
    await write(storage, [embed(1, 1, 'two')])
    expectVector(await vectorOf(other, 1), 'two')
    expect(await stored(storage, 1)).toEqual([record(1)])
    expect(await numbers(storage, { where: { embedded: true } })).toEqual([1])
  })

  it('are found by content hash while a memory holds the text; unknown ones are left out', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(1, {}, { text: 'one' }), insert(2, {}, { text: 'one' }), insert(3)])
    await write(storage, [embed(3, 1, 'three')])
    for (const handle of [storage, other]) {
      const found = await handle.embeddings(['three', 'unknown', 'one', 'one'].map(hashOf))
      expect([...found.keys()].sort()).toEqual([hashOf('one'), hashOf('three')].sort())
      expectVector(found.get(hashOf('one')), 'one')
      expectVector(found.get(hashOf('three')), 'three')
    }
    await write(storage, [remove(1)])
    expectVector((await storage.embeddings([hashOf('one')])).get(hashOf('one')), 'one')
    expect(await storage.embeddings([])).toEqual(new Map())
  })

  it('of another model are never visible', async (store) => {
    const [old, storage] = [await store.storage(), await store.storage(OTHER)]
    await write(old, [insert(1, {}, { text: 'one', tokens: ['a'] }), insert(2, {}, { text: 'two' })])
    await write(storage, [insert(3, {}, { text: 'one' })])
    expect(await vectorOf(storage, 1)).toBeNull()
    expect(await vectorOf(old, 3)).toBeNull()
    expectVector(await vectorOf(old, 1), 'one')
    expect(await storage.embeddings([hashOf('two')])).toEqual(new Map())
    const { items } = await storage.memories(query({ order: 'oldest', vectors: true }))
    expect(items.map(({ vector }) => vector === null)).toEqual([true, true, false])
    expect(await numbers(storage, { where: { embedded: false } })).toEqual([2, 1])
    expect(await numbers(storage, { where: { embedded: true } })).toEqual([3])
    expect(await numbers(old, { where: { embedded: true } })).toEqual([2, 1])
    expect((await storage.stats()).models).toEqual(['m1', 'm2'])
    const { vectorSearch, keywordSearch } = storage.capabilities
    if (vectorSearch) {
      const [found] = await storage.search([question({ vector: vectorFor('one') })])
      expect(found!.candidates.map(({ memory }) => numberOf(memory.id))).toEqual([3])
    }
    if (keywordSearch) {
      const [found] = await storage.search([question({ tokens: ['a'] })])
      expect(found!.candidates).toMatchObject([{ memory: { id: idOf(1) }, vector: null }])
    }
  })

  it('of the current model replace the old ones', async (store) => {
    const [old, storage] = [await store.storage(), await store.storage(OTHER)]
    await write(old, [insert(1, {}, { text: 'one' }), insert(2, {}, { text: 'two' })])
    await write(storage, [embed(1, 1, 'one'), embed(2, 1, 'two')])
    expectVector(await vectorOf(storage, 1), 'one')
    expect(await numbers(storage, { where: { embedded: false } })).toEqual([])
    expect((await storage.stats()).models).toContain('m2')
    // New words under the new model: the vector of the old words must not come back.
    await write(storage, [update(1, 2, { content: 'Changed' }, { text: 'changed' })])
    const again = await store.storage()
    const left = await vectorOf(again, 1)
    if (left !== null) expect(left).not.toEqual(vectorFor('one'))
  })

  it("outlive the handle that wrote them, and have the model's dimensions", async (store) => {
    const wide = { name: 'wide', dimensions: 16 }
    const storage = await store.storage(wide)
    const vector = vectorFor('one', 16)
    const row = { memory: record(1), visibleUntil: '', tokens: [], embedding: { hash: hashOf('one'), vector } }
    expect(await commit(storage, [{ kind: 'insert', row }])).toMatchObject({ applied: true })
    await storage.shutdown()
    const later = await store.storage(wide)
    const found = await vectorOf(later, 1)
    expect(found).toHaveLength(16)
    for (const [i, value] of vector.entries()) expect(found![i]).toBeCloseTo(value, 3)
  })
})
