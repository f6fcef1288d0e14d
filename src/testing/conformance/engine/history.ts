import { describe, expect, it } from 'vitest'
import { failure, idOf, record, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

export function describeHistory(target: ConformanceTarget): void {
  describe('history', () => {
    const store = useStore(target)

    it('knows what a session left that was deleted since, as it last was, and of no other session', async () => {
      const engine = await store.engine()
      const add = async (content: string, session: string | null) =>
        (await engine.add(sample({ content, session }))).memory
      const gone = await add('Said and deleted', 'run-1')
      await engine.update(gone.id, { content: 'Changed and deleted' })
      await engine.delete(gone.id)
      await add('Said and kept', 'run-1')
      await engine.delete((await add('Of another', 'run-2')).id)
      await engine.delete((await add('Of none', null)).id)
      expect(await engine.storage.deletedOf('run-1')).toEqual(['Changed and deleted'])
      expect(await engine.storage.deletedOf('run-3')).toEqual([])
    })

    it('keeps every change: who, when, before and after; also of a deleted memory', async () => {
      const engine = await store.engine({ actor: 'ann' })
      const other = await store.engine({ actor: 'bob' })
      const created = (await engine.add(sample())).memory
      const updated = (await other.update(created.id, { content: 'Changed' })).memory
      await engine.delete(created.id)
      const history = await engine.history(created.id)
      expect(history).toEqual([
        {
          memory: created.id,
          version: 1,
          operation: 'create',
          at: expect.any(String),
          by: 'ann',
          before: null,
          after: created,
        },
        {
          memory: created.id,
          version: 2,
          operation: 'update',
          at: expect.any(String),
          by: 'bob',
          before: created,
          after: updated,
        },
        {
          memory: created.id,
          version: 3,
          operation: 'delete',
          at: expect.any(String),
          by: 'ann',
          before: updated,
          after: null,
        },
      ])
      for (const { at } of history) expect(new Date(at).toISOString()).toBe(at)
    })

    it('an unknown id has none; deleting an unknown id writes none', async () => {
      const engine = await store.engine()
      expect(await engine.history(idOf(1))).toEqual([])
      await engine.delete(idOf(1))
      expect(await engine.history(idOf(1))).toEqual([])
    })

    it('a refused or lost change leaves no trace', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample())
      await failure(engine.update(memory.id, { importance: 70, version: 9 }), 'CONFLICT')
      await failure(engine.update(memory.id, { importance: 700 }), 'INVALID_INPUT')
      expect(await engine.history(memory.id)).toHaveLength(1)
    })

    it('bulk writes have a history entry each', async () => {
      const engine = await store.engine()
      const { memories } = await engine.bulkAdd([sample({ content: 'one' }), sample({ content: 'two' })])
      await engine.bulkDelete(memories.map((memory) => memory.id))
      for (const memory of memories) {
        expect((await engine.history(memory.id)).map((change) => change.operation)).toEqual(['create', 'delete'])
      }
    })

    it('the whole history can be read a part at a time, in order', async () => {
      const storage = await store.storage()
      for (let i = 0; i < 5; i++)
        await storage.commit([{ kind: 'insert', memory: record(idOf(i)), embedding: null }], 'ann')
      await storage.commit([{ kind: 'update', memory: record(idOf(0), { version: 2, content: 'Changed' }) }], 'bob')
      await storage.commit([{ kind: 'delete', id: idOf(1) }], 'ann')
      const seen: string[] = []
      let after: number | null = null
      do {
        const part: Awaited<ReturnType<typeof storage.listChanges>> = await storage.listChanges(after, 3)
        expect(part.changes.length).toBeLessThanOrEqual(3)
        seen.push(...part.changes.map((change) => `${change.operation} ${change.memory.slice(-1)} v${change.version}`))
        after = part.position
      } while (after !== null)
      const creations = [0, 1, 2, 3, 4].map((i) => `create ${i} v1`)
      expect(seen).toEqual([...creations, 'update 0 v2', 'delete 1 v2'])
    })

    it('imported memories bring their own history, and importing it twice adds nothing', async () => {
      const storage = await store.storage()
      const memory = record(idOf(7), { version: 2, content: 'Second wording' })
      const before = record(idOf(7), { content: 'First wording' })
      const at = '2025-01-01T00:00:00.000Z'
      const changes = [
        {
          memory: memory.id,
          version: 1,
          operation: 'create' as const,
          at,
          by: 'elsewhere',
          before: null,
          after: before,
        },
        { memory: memory.id, version: 2, operation: 'update' as const, at, by: 'elsewhere', before, after: memory },
      ]
      await storage.commit([{ kind: 'insert', memory, embedding: null, imported: true }], 'import')
      expect(await storage.history(memory.id)).toEqual([])
      expect(await storage.putChanges(changes)).toBe(2)
      expect(await storage.putChanges(changes)).toBe(0)
      expect(await storage.history(memory.id)).toEqual(changes)
      await storage.commit([{ kind: 'update', memory: { ...memory, version: 3, importance: 1 } }], 'ann')
      expect((await storage.history(memory.id)).map((change) => change.by)).toEqual(['elsewhere', 'elsewhere', 'ann'])
    })
  })
}
