import { expect } from 'vitest'
import type { Change } from '../../../model/records.ts'
import type { Write } from '../../../storage/commit.ts'
import { group } from '../group.ts'
import { failure } from '../samples.ts'
import { showing } from './records.ts'
import { AT, embeddingFor, idOf, insert, record, remove, second, update, walk, write } from './writing.ts'

const page = { after: null, limit: 100 }

export const changeCases = group('changes', (it) => {
  it('each insert, update and delete leaves an entry with the time and the name of its commit', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const words = { content: 'Second wording', tags: ['x'] }
    await write(storage, [insert(1)], { at: second(60), by: 'ann' })
    await write(storage, [update(1, 2, words)], { at: second(-70), by: 'session:run-1' })
    await write(storage, [update(1, 3, { ...words, active: false })], { at: second(80), by: '海苔' })
    await write(storage, [remove(1)], { at: second(90), by: 'bob' })
    const memory = idOf(1)
    const changes: Change[] = [
      { memory, version: 1, operation: 'create', at: second(60), by: 'ann', after: record(1) },
      {
        memory,
        version: 2,
        operation: 'update',
        at: second(-70),
        by: 'session:run-1',
        after: record(1, { ...words, version: 2 }),
      },
      {
        memory,
        version: 3,
        operation: 'update',
        at: second(80),
        by: '海苔',
        after: record(1, { ...words, active: false, version: 3 }),
      },
      { memory, version: 4, operation: 'delete', at: second(90), by: 'bob', after: null },
    ]
    for (const handle of [storage, other]) {
      expect(await handle.changes({ memory, ...page })).toEqual({ items: changes, next: null })
    }
    expect(await storage.changes({ memory: idOf(2), ...page })).toEqual({ items: [], next: null })
  })

  it('an entry has the recall counters as they were stored', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1)])
    await write(storage, [{ kind: 'injection', injection: showing(1), recall: true }])
    await write(storage, [update(1, 2)])
    const { items } = await storage.changes({ memory: idOf(1), ...page })
    expect(items.map(({ after }) => after?.recallCount)).toEqual([0, 1])
  })

  it('vectors, showings and deletes of unknown memories have no effect', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1)])
    const embed: Write = { kind: 'embed', id: idOf(1), version: 1, embedding: embeddingFor('x') }
    await write(storage, [embed, { kind: 'injection', injection: showing(1), recall: true }, remove(5)])
    expect((await storage.changes({ memory: null, ...page })).items).toHaveLength(1)
  })

  it('of one memory they come in the order of versions, a page at a time', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1), insert(2)])
    // Twelve versions: as texts, 10 would come before 2.
    for (let version = 2; version <= 12; version++) await write(storage, [update(1, version)], { at: second(-version) })
    for (const limit of [1, 4, 5, 100]) {
      const items = await walk(limit, (part) => storage.changes({ memory: idOf(1), ...part }))
      expect(items.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      expect(items.every(({ memory }) => memory === idOf(1))).toBe(true)
    }
  })

  it('of several memories each entry comes once, in pages of any size', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1), insert(2), insert(3)])
    await write(storage, [update(1, 2), remove(3), update(2, 2)])
    const memory = [idOf(1), idOf(3), idOf(9)]
    for (const limit of [1, 3, 100]) {
      const items = await walk(limit, (part) => storage.changes({ memory, ...part }))
      expect(items.map((change) => `${change.memory} ${change.version}`).sort()).toEqual(
        [`${idOf(1)} 1`, `${idOf(1)} 2`, `${idOf(3)} 1`, `${idOf(3)} 2`].sort(),
      )
    }
    expect((await storage.changes({ memory: [], ...page })).items).toEqual([])
  })

  it('of the whole store each entry comes once, in a stable order', async (store) => {
    const storage = await store.storage()
    for (let i = 1; i <= 5; i++) await write(storage, [insert(i)])
    await write(storage, [update(3, 2), remove(2), update(5, 2)])
    const read = (limit: number) => walk(limit, (part) => storage.changes({ memory: null, ...part }))
    const whole = await read(100)
    const names = (items: Change[]) => items.map(({ memory, version }) => `${memory} ${version}`)
    expect(new Set(names(whole)).size).toBe(8)
    for (const limit of [1, 3, 4]) expect(await read(limit)).toEqual(whole)
    const steady = await walk(
      3,
      (part) => storage.changes({ memory: null, ...part }),
      async (seen) => {
        if (seen.length < 9) await write(storage, [insert(100 + seen.length)])
      },
    )
    expect(names(steady).filter((name) => names(whole).includes(name))).toHaveLength(8)
  })

  it('imports history unchanged, and leaves existing entries alone', async (store) => {
    const storage = await store.storage()
    const memory = record(7, { version: 2, content: 'Second wording' })
    const elsewhere = { memory: memory.id, by: 'elsewhere' }
    const changes: Change[] = [
      { ...elsewhere, version: 1, operation: 'create', at: second(-500), after: record(7, { content: 'First' }) },
      { ...elsewhere, version: 2, operation: 'update', at: second(-400), after: memory },
    ]
    const writes = changes.map((change): Write => ({ kind: 'change', change }))
    await write(storage, [insert(7, memory, { imported: true })])
    expect((await storage.changes({ memory: memory.id, ...page })).items).toEqual([])
    await write(storage, writes)
    await write(storage, [{ kind: 'change', change: { ...changes[0]!, by: 'somebody else' } }])
    expect((await storage.changes({ memory: memory.id, ...page })).items).toEqual(changes)
    await write(storage, [update(7, 3)])
    expect((await storage.changes({ memory: memory.id, ...page })).items.map(({ by }) => by)).toEqual([
      'elsewhere',
      'elsewhere',
      'ann',
    ])
    // Of a deleted memory.
    const gone: Change = { memory: idOf(9), version: 4, operation: 'delete', at: AT, by: 'elsewhere', after: null }
    await write(storage, [{ kind: 'change', change: gone }])
    expect((await storage.changes({ memory: idOf(9), ...page })).items).toEqual([gone])
  })

  it('an invalid position is INVALID_INPUT', async (store) => {
    const storage = await store.storage()
    await failure(storage.changes({ memory: null, after: 'garbage!', limit: 3 }), 'INVALID_INPUT')
    await failure(storage.changes({ memory: idOf(1), after: 'garbage!', limit: 3 }), 'INVALID_INPUT')
  })
})
