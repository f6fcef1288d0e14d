import { afterAll, describe, expect, test } from 'vitest'
import type { Write } from '../../src/storage/commit.ts'
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { insert, numbers, query, record, update } from '../../src/testing/conformance/storage/writing.ts'
import { startPgbouncer } from '../postgres/pgbouncer.ts'
import { emptyDatabase, emptySchema, postgresServer } from '../postgres/schemas.ts'

const server = await postgresServer()
const bouncer = await startPgbouncer(server)
afterAll(() => bouncer.stop())
const MODEL = { name: 'm1', dimensions: 4 }
const AT = '2026-03-01T00:00:00.000Z'

/** These need real connections, and PGlite has only one. */
describe.each([
  { through: 'to the server', create: () => emptySchema(server) },
  { through: 'through PgBouncer, whose transactions share four', create: () => emptyDatabase(server, bouncer.port) },
])('many connections $through', ({ create }) => {
  test('eight handles open an empty database at once, and every acknowledged insert is there once', async () => {
    const place = await create()
    const handles = Array.from({ length: 8 }, () => postgresStorage({ url: place.url }))
    try {
      await Promise.all(handles.map((handle) => handle.initialize(MODEL)))
      await Promise.all(
        handles.map(async (handle, h) => {
          for (let i = 0; i < 100; i++) {
            const write = insert(
              h * 100 + i,
              { session: `run-${i % 3}` },
              { tokens: ['a', `t${i}`], text: `text ${i}` },
            )
            expect(await handle.commit({ key: `k${h}-${i}`, at: AT, by: 'x', writes: [write] })).toMatchObject({
              changed: 1,
            })
          }
        }),
      )
      const { totalCount } = await handles[0]!.memories(query({ limit: 1 }))
      const { memories, active, models } = await handles[1]!.stats()
      expect([totalCount, memories, active, models]).toEqual([800, 800, 800, ['m1']])
    } finally {
      for (const handle of handles) await handle.shutdown()
      await place.destroy()
    }
  })

  test('one key by many at once is applied once; one once-key is taken once; crossing updates end', async () => {
    const place = await create()
    const handles = Array.from({ length: 6 }, () => postgresStorage({ url: place.url }))
    try {
      await Promise.all(handles.map((handle) => handle.initialize(MODEL)))
      const same = await Promise.all(
        handles.map((handle) => handle.commit({ key: 'one', at: AT, by: 'x', writes: [insert(1)], note: 'n' })),
      )
      expect(same.filter((result) => result.applied && !result.repeated)).toHaveLength(1)
      expect(same.every((result) => result.applied && result.changed === 1 && result.note === 'n')).toBe(true)
      const taken = await Promise.all(
        handles.map((handle, i) =>
          handle.commit({ key: `once ${i}`, at: AT, by: 'x', writes: [insert(10 + i, {}, { once: 'mine' })] }),
        ),
      )
      expect(taken.filter((result) => result.applied)).toHaveLength(1)
      for (const result of taken) if (!result.applied) expect(result.failures).toEqual([{ write: 0, reason: 'once' }])
      const first = handles[0]!
      await first.commit({ key: 'two', at: AT, by: 'x', writes: [insert(2), insert(3)] })
      // Each raises both counters, in its own order, and retries when overtaken.
      await Promise.all(handles.map((handle, i) => raise(handle, i % 2 === 0 ? [2, 3] : [3, 2], i)))
      const after = await first.get([record(2).id, record(3).id])
      expect(after.map(({ memory }) => memory.version)).toEqual([61, 61])
      expect((await numbers(first)).length).toBe(4)
    } finally {
      for (const handle of handles) await handle.shutdown()
      await place.destroy()
    }
  })
})

async function raise(handle: Storage, order: number[], h: number): Promise<void> {
  for (let done = 0, attempt = 0; done < 10; attempt++) {
    const stored = await handle.get(order.map((number) => record(number).id))
    const version = (number: number) => stored.find(({ memory }) => memory.id === record(number).id)!.memory.version
    const writes = order.map((number): Write => update(number, version(number) + 1))
    const result = await handle.commit({ key: `raise ${h} ${attempt}`, at: AT, by: 'x', writes })
    if (result.applied) done++
  }
}
