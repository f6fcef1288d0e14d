import { describe, expect, it } from 'vitest'
import { type Filter, filterTests } from '../../model/filter.ts'
import { LAYERS, readableScopes } from '../../model/layer.ts'
import type { Embedding, Write } from '../../storage/storage.ts'
import { failure, hashOf, identifiersFor, idOf, record } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

function insert(number: number, fields: Parameters<typeof record>[1] = {}, embedding: Embedding | null = null): Write {
  return { kind: 'insert', memory: record(idOf(number), fields), embedding }
}

function embeddingOf(text: string, values: readonly number[], model = 'm1'): Embedding {
  return { model, hash: hashOf(text), vector: Float32Array.from(values) }
}

/** What the engine relies on, asked of the storage itself. */
export function describeCommit(target: ConformanceTarget): void {
  describe('commit', () => {
    const store = useStore(target)

    it('applies all writes, with a history entry each', async () => {
      const storage = await store.storage()
      await storage.commit([insert(1), insert(2)], 'ann')
      await storage.commit(
        [
          { kind: 'update', memory: record(idOf(1), { version: 2, content: 'Changed' }) },
          { kind: 'delete', id: idOf(2) },
          insert(3),
          { kind: 'update', memory: record(idOf(3), { version: 2, importance: 9 }) },
        ],
        'bob',
      )
      const memories = await storage.get([idOf(1), idOf(2), idOf(3)])
      expect(memories.map((memory) => [memory.id, memory.version]).sort()).toEqual([
        [idOf(1), 2],
        [idOf(3), 2],
      ])
      expect((await storage.history(idOf(2))).map((change) => change.operation)).toEqual(['create', 'delete'])
      expect((await storage.history(idOf(3))).map((change) => change.by)).toEqual(['bob', 'bob'])
    })

    const lastWrites: { title: string; code: 'CONFLICT' | 'MEMORY_NOT_FOUND'; id: string; write: Write }[] = [
      { title: 'a taken id', code: 'CONFLICT', id: idOf(1), write: insert(1) },
      { title: 'an id taken by the same commit', code: 'CONFLICT', id: idOf(8), write: insert(8) },
      {
        title: 'a stale version',
        code: 'CONFLICT',
        id: idOf(1),
        write: { kind: 'update', memory: record(idOf(1), { version: 1 }) },
      },
      {
        title: 'a version from the future',
        code: 'CONFLICT',
        id: idOf(1),
        write: { kind: 'update', memory: record(idOf(1), { version: 3 }) },
      },
      {
        title: 'an update of an unknown id',
        code: 'MEMORY_NOT_FOUND',
        id: idOf(99),
        write: { kind: 'update', memory: record(idOf(99), { version: 2 }) },
      },
    ]
    it.each(lastWrites)('$title is $code, and nothing of that commit is applied', async ({ code, id, write }) => {
      const storage = await store.storage()
      await storage.commit([insert(1), insert(2)], 'ann')
      const writes: Write[] = [
        insert(8, { session: 'run-1' }, embeddingOf('eight', [1, 0])),
        {
          kind: 'update',
          memory: record(idOf(2), { version: 2, content: 'Changed' }),
          embedding: embeddingOf('x', [0, 1]),
        },
        { kind: 'delete', id: idOf(2) },
        write,
      ]
      const error = await failure(storage.commit(writes, 'bob'), code)
      expect(error.details).toMatchObject({ id })
      expect(error.retryable).toBe(false)
      const everything = await storage.list({ scopes: null, where: {}, limit: 10, after: null })
      expect(everything).toEqual({ memories: [record(idOf(2)), record(idOf(1))], totalCount: 2 })
      expect(await storage.history(idOf(8))).toEqual([])
      expect(await storage.history(idOf(2))).toHaveLength(1)
      expect(await storage.vectorCounts()).toEqual({})
      expect(await storage.stats()).toMatchObject({ memories: 2, byLayer: { project: 2 }, sessions: 0 })
      // And the store goes on working.
      await storage.commit([insert(8, {}, embeddingOf('eight', [1, 0]))], 'bob')
      expect((await storage.vectors([idOf(8)], 'm1')).get(idOf(8))).toEqual(Float32Array.from([1, 0]))
    })

    it('an empty commit, and deleting what is not there, change nothing', async () => {
      const storage = await store.storage()
      await storage.commit([], 'ann')
      await storage.commit([{ kind: 'delete', id: idOf(1) }], 'ann')
      expect((await storage.stats()).memories).toBe(0)
      expect(await storage.listChanges(null, 10)).toEqual({ changes: [], position: null })
    })

    it('keeps every field, the recall counters included', async () => {
      const storage = await store.storage()
      const memory = record(idOf(1), {
        content: 'é\n"quoted"\t日本',
        layer: 'agent',
        identifiers: identifiersFor('a'),
        category: 'follow_up',
        service: 'web',
        source: 'coordinator',
        tags: ['a', 'b c', '日'],
        metadata: { deep: { list: [1, -2.5, 1e21, null, false, 'x', {}] }, 'a.b': '' },
        anchor: 'x:1|y:2',
        importance: 12.5,
        confidence: 0.29,
        active: false,
        tier: 3,
        session: 'run-1',
        expiresAt: '2030-01-01T00:00:00.000Z',
        lastRecalledAt: '2026-03-02T00:00:00.000Z',
        recallCount: 7,
        version: 5,
      })
      await storage.commit([{ kind: 'insert', memory, embedding: null }], 'ann')
      expect(await storage.get([memory.id])).toEqual([memory])
      expect((await storage.history(memory.id))[0]?.after).toEqual(memory)
    })

    it('oncePerSession: a session leaves the same words once in a scope, category and service', async () => {
      const storage = await store.storage()
      const said = { session: 'run-1', active: false, content: 'The same words' }
      await storage.commit([insert(1, said), insert(2)], 'ann')
      const once = { oncePerSession: true }
      const repeat = [insert(3, { session: 'run-1', content: 'Another' }), insert(4, said)]
      expect((await failure(storage.commit(repeat, 'ann', once), 'CONFLICT')).details).toMatchObject({ id: idOf(1) })
      expect(await storage.get([idOf(3)])).toEqual([])
      const others: Write[] = [
        insert(5, { ...said, session: 'run-2' }),
        insert(6, { ...said, service: 'mail' }),
        insert(7, { ...said, category: 'behavior' }),
        insert(8, { ...said, identifiers: { projectId: 'lab' } }),
        insert(9, { ...said, session: null }),
      ]
      await storage.commit(others, 'ann', once)
      await storage.commit(repeat, 'ann')
      expect(await storage.get([3, 4, 5, 6, 7, 8, 9].map(idOf))).toHaveLength(7)
    })

    it('get leaves out unknown ids, and returns a repeated one once', async () => {
      const storage = await store.storage()
      await storage.commit([insert(1), insert(2)], 'ann')
      const found = await storage.get([idOf(2), idOf(9), idOf(1), idOf(2)])
      expect(found.map((memory) => memory.id).sort()).toEqual([idOf(1), idOf(2)])
      expect(await storage.get([])).toEqual([])
    })

    it('list: any of the scopes, behind a position, without gaps where times are equal', async () => {
      const storage = await store.storage()
      const later = '2026-03-01T00:00:01.000Z'
      await storage.commit(
        [
          insert(1),
          insert(2, { layer: 'user', identifiers: { userId: 'ann' }, createdAt: later }),
          insert(3),
          insert(4, { identifiers: { projectId: 'lab' } }),
        ],
        'ann',
      )
      const identifiers = { projectId: 'shop', userId: 'ann' }
      const scopes = LAYERS.flatMap((layer) => readableScopes(layer, identifiers) ?? [])
      const list = async (limit: number, after: { createdAt: string; id: string } | null) => {
        const { memories, totalCount } = await storage.list({ scopes, where: {}, limit, after })
        expect(totalCount).toBe(3)
        return memories.map((memory) => memory.id)
      }
      expect(await list(10, null)).toEqual([idOf(2), idOf(3), idOf(1)])
      expect(await list(1, { createdAt: later, id: idOf(2) })).toEqual([idOf(3)])
      expect(await list(10, { createdAt: record('').createdAt, id: idOf(3) })).toEqual([idOf(1)])
      // A position that no memory holds (any more) works as well.
      expect(await list(10, { createdAt: '2026-03-01T00:00:00.500Z', id: idOf(0) })).toEqual([idOf(3), idOf(1)])
      expect(await storage.list({ scopes: [], where: {}, limit: 10, after: null })).toEqual({
        memories: [],
        totalCount: 0,
      })
    })

    it('conditions hold together', async () => {
      const storage = await store.storage()
      await storage.commit(
        [insert(1, { tags: ['a'], metadata: { k: 1 } }), insert(2, { tags: ['a'], metadata: { k: 2 } })],
        'ann',
      )
      const ids = async (filter: Filter, tags: string[]) =>
        (
          await storage.list({ scopes: null, where: { tags, filter: filterTests(filter) }, limit: 9, after: null })
        ).memories.map((memory) => memory.id)
      expect(await ids({ k: { gte: 2 } }, ['a', 'z'])).toEqual([idOf(2)])
      expect(await ids({ k: { gte: 2 } }, ['z'])).toEqual([])
    })

    it('vectors: kept by memory and model, replaced, removed, and left alone', async () => {
      const storage = await store.storage()
      await storage.commit([insert(1, {}, embeddingOf('one', [1, 0])), insert(2)], 'ann')
      const vectors = (model: string) => storage.vectors([idOf(1), idOf(2), idOf(9)], model)
      expect(await vectors('m1')).toEqual(new Map([[idOf(1), Float32Array.from([1, 0])]]))
      expect(await vectors('m2')).toEqual(new Map())
      const update = (version: number, rest: { embedding?: Embedding | null } = {}) =>
        storage.commit([{ kind: 'update', memory: record(idOf(1), { version, importance: version }), ...rest }], 'ann')
      await update(2)
      expect((await vectors('m1')).get(idOf(1))).toEqual(Float32Array.from([1, 0]))
      await update(3, { embedding: embeddingOf('two', [0, 1]) })
      expect((await vectors('m1')).get(idOf(1))).toEqual(Float32Array.from([0, 1]))
      await update(4, { embedding: null })
      expect(await vectors('m1')).toEqual(new Map())
      expect(await storage.vectorCounts()).toEqual({})
    })

    it('setVectors changes neither version nor history, and leaves alone what changed meanwhile', async () => {
      const storage = await store.storage()
      await storage.commit([insert(1), insert(2), insert(3, {}, embeddingOf('three', [1, 0], 'm0'))], 'ann')
      expect((await storage.withoutVector('m1', null, 10)).map((memory) => memory.id)).toEqual([
        idOf(1),
        idOf(2),
        idOf(3),
      ])
      await storage.setVectors([
        { id: idOf(1), version: 1, embedding: embeddingOf('one', [1, 0]) },
        { id: idOf(2), version: 7, embedding: embeddingOf('two', [1, 0]) },
        { id: idOf(3), version: 1, embedding: embeddingOf('three', [0, 1]) },
        { id: idOf(9), version: 1, embedding: embeddingOf('nine', [0, 1]) },
      ])
      expect(await storage.vectorCounts()).toEqual({ m1: 2 })
      expect(await storage.get([idOf(1)])).toEqual([record(idOf(1))])
      expect(await storage.history(idOf(1))).toHaveLength(1)
      expect((await storage.withoutVector('m1', null, 10)).map((memory) => memory.id)).toEqual([idOf(2)])
      expect((await storage.withoutVector('m2', idOf(1), 1)).map((memory) => memory.id)).toEqual([idOf(2)])
    })

    it('the vector cache: by hash and model, in the order asked, filled by memories too', async () => {
      const storage = await store.storage()
      await storage.cacheVectors([{ hash: hashOf('a'), vector: Float32Array.from([1, 2]) }], 'm1')
      await storage.cacheVectors([{ hash: hashOf('a'), vector: Float32Array.from([1, 2]) }], 'm1')
      await storage.commit([insert(1, {}, embeddingOf('b', [3, 4]))], 'ann')
      const hashes = ['b', 'unknown', 'a'].map(hashOf)
      expect(await storage.cachedVectors(hashes, 'm1')).toEqual([
        Float32Array.from([3, 4]),
        null,
        Float32Array.from([1, 2]),
      ])
      expect(await storage.cachedVectors(hashes, 'm2')).toEqual([null, null, null])
      expect(await storage.cachedVectors([], 'm1')).toEqual([])
      const other = await store.storage()
      expect(await other.cachedVectors([hashOf('a')], 'm1')).toEqual([Float32Array.from([1, 2])])
    })
  })
}
