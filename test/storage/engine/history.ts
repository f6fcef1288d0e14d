import { expect } from 'vitest'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, clock, failure, sample } from '../../../src/testing/conformance/samples.ts'

const UNKNOWN = '01JNA000000000000000000000'

export const historyCases = group('engine: history', (it) => {
  it('keeps every change: who, when by the engine’s clock, and what was after; also of a deleted memory', async (store) => {
    const time = clock()
    const engine = await store.engine({ actor: 'ann', now: time.now })
    const other = await store.engine({ actor: 'bob', now: time.now })
    const created = (await engine.add(sample())).memory
    time.advance(1000)
    const updated = (await other.update(created.id, { content: 'Changed' }, ALL)).memory
    time.advance(1000)
    await engine.as({ projectId: 'shop' }, { by: 'cyd' }).delete(created.id)
    const memory = created.id
    const at = (second: number) => `2026-03-01T00:00:0${second}.000Z`
    expect((await engine.history(memory, ALL)).changes).toEqual([
      { memory, version: 1, operation: 'create', at: at(0), by: 'ann', after: created },
      { memory, version: 2, operation: 'update', at: at(1), by: 'bob', after: updated },
      { memory, version: 3, operation: 'delete', at: at(2), by: 'cyd', after: null },
    ])
  })

  it('can be read a page at a time', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    for (let i = 0; i < 4; i++) await engine.update(memory.id, { importance: i }, ALL)
    const first = await engine.history(memory.id, { ...ALL, limit: 2 })
    expect(first.changes.map(({ version }) => version)).toEqual([1, 2])
    const rest = await engine.history(memory.id, { ...ALL, limit: 3, cursor: first.nextCursor! })
    expect(rest.changes.map(({ version }) => version)).toEqual([3, 4, 5])
    expect(rest.nextCursor).toBeNull()
  })

  it('an unknown id has none; deleting an unknown id writes none', async (store) => {
    const engine = await store.engine()
    await engine.delete(UNKNOWN, ALL)
    expect(await engine.history(UNKNOWN, ALL)).toEqual({ changes: [], nextCursor: null })
  })

  it('a refused or lost change leaves no trace', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    await failure(engine.update(memory.id, { importance: 70, version: 9 }, ALL), 'CONFLICT')
    await failure(engine.update(memory.id, { importance: 700 }, ALL), 'INVALID_INPUT')
    expect((await engine.history(memory.id, ALL)).changes).toHaveLength(1)
  })

  it('bulk writes have a history entry each', async (store) => {
    const engine = await store.engine()
    const { memories } = await engine.bulkAdd([sample({ content: 'one' }), sample({ content: 'two' })])
    await engine.bulkDelete(
      memories.map((memory) => memory.id),
      ALL,
    )
    for (const { id } of memories) {
      const { changes } = await engine.history(id, ALL)
      expect(changes.map((change) => change.operation)).toEqual(['create', 'delete'])
    }
  })
})
