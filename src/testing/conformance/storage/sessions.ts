import { expect } from 'vitest'
import type { Session } from '../../../model/records.ts'
import type { Write } from '../../../storage/commit.ts'
import type { SessionSelector } from '../../../storage/record-query.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { failure } from '../samples.ts'
import { aSession } from './records.ts'
import { second, walk, write } from './writing.ts'

const say = (number: number, fields: Partial<Session> = {}): Write => ({
  kind: 'session',
  session: aSession(number, fields),
})

async function found(storage: Storage, number: number): Promise<Session | undefined> {
  const { items } = await storage.sessions({ any: [{ id: `run-${number}` }], after: null, limit: 5 })
  expect(items.length).toBeLessThanOrEqual(1)
  return items[0]
}

export const sessionCases = group('sessions', (it) => {
  it('begin once: the first value stays, and missing ones are filled in', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [say(1, { agent: 'miso', startedAt: second(5) })])
    await write(storage, [say(1, { agent: 'nori', project: 'shop', tier: 0, role: 'coder', startedAt: second(9) })])
    await write(other, [say(1, { agent: 'nori', project: 'lab', tier: 2, role: 'reviewer', startedAt: second(3) })])
    const expected = aSession(1, {
      agent: 'miso',
      project: 'shop',
      tier: 0,
      role: 'coder',
      startedAt: second(3),
    })
    for (const handle of [storage, other]) expect(await found(handle, 1)).toEqual(expected)
    await write(storage, [say(1)])
    await write(storage, [say(1, { startedAt: second(7) })])
    expect(await found(storage, 1)).toEqual({ ...expected, startedAt: second(0) })
    expect(await found(storage, 2)).toBeUndefined()
  })

  it('end once: the first end stays, whether it comes before or after the beginning', async (store) => {
    const storage = await store.storage()
    const end = { endedAt: second(60), exitCode: 0, outcome: 'success' }
    await write(storage, [say(1, { agent: 'miso' })])
    await write(storage, [say(1, end)])
    await write(storage, [say(1, { endedAt: second(30), exitCode: 1, outcome: 'killed' })])
    await write(storage, [say(1, { agent: 'nori' })])
    expect(await found(storage, 1)).toEqual(aSession(1, { agent: 'miso', ...end }))
    // An end without a code or an outcome is an end too: a later one does not complete it.
    await write(storage, [say(2, { endedAt: second(60) })])
    await write(storage, [say(2, { ...end, endedAt: second(70), project: 'shop' })])
    expect(await found(storage, 2)).toEqual(aSession(2, { endedAt: second(60), project: 'shop' }))
  })

  it('newest first, by start and then by id, in pages of any size', async (store) => {
    const storage = await store.storage()
    for (const [number, started] of [
      [1, 5],
      [2, 3],
      [3, 5],
      [4, 9],
      [5, 5],
      [6, 1],
    ] as const) {
      await write(storage, [say(number, { startedAt: second(started) })])
    }
    for (const limit of [1, 2, 3, 6, 10]) {
      const items = await walk(limit, (part) => storage.sessions({ any: null, ...part }))
      expect(
        items.map(({ id }) => id),
        `${limit}`,
      ).toEqual(['run-4', 'run-5', 'run-3', 'run-1', 'run-2', 'run-6'])
    }
    let added = 0
    const steady = await walk(
      2,
      (part) => storage.sessions({ any: null, ...part }),
      async () => {
        if (added < 2) await write(storage, [say(90 + added++, { startedAt: second(99) })])
      },
    )
    expect(steady.map(({ id }) => id)).toEqual(['run-4', 'run-5', 'run-3', 'run-1', 'run-2', 'run-6'])
  })

  it('are found by id, by project, and by agent if they have no project', async (store) => {
    const storage = await store.storage()
    await write(storage, [
      say(1, { agent: 'miso', project: 'shop', startedAt: second(1) }),
      say(2, { agent: 'miso', startedAt: second(2) }),
      say(3, { agent: 'nori', project: 'lab', startedAt: second(3) }),
      say(4, { agent: 'nori', startedAt: second(4) }),
      say(5, { startedAt: second(5) }),
    ])
    const ids = async (...any: SessionSelector[]) => {
      const items = await walk(2, (part) => storage.sessions({ any, ...part }))
      return items.map(({ id }) => Number(id.slice(4)))
    }
    expect(await ids({ id: 'run-3' })).toEqual([3])
    expect(await ids({ id: 'run-9' })).toEqual([])
    expect(await ids({ project: 'shop' })).toEqual([1])
    expect(await ids({ agent: 'miso', project: null })).toEqual([2])
    expect(await ids({ agent: 'nori', project: null }, { project: 'shop' }, { id: 'run-5' })).toEqual([5, 4, 1])
    expect(await ids({ project: 'lab' }, { id: 'run-3' })).toEqual([3])
    expect(await ids()).toEqual([])
    // Completed later, it is found by its new values.
    await write(storage, [say(5, { project: 'shop', startedAt: second(0) })])
    expect(await ids({ project: 'shop' })).toEqual([1, 5])
  })

  it('an invalid position is INVALID_INPUT', async (store) => {
    const storage = await store.storage()
    await failure(storage.sessions({ any: null, after: 'garbage!', limit: 3 }), 'INVALID_INPUT')
  })
})
