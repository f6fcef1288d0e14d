import { expect } from 'vitest'
import type { Injection, WorkflowEvent } from '../../../model/records.ts'
import type { Write } from '../../../storage/commit.ts'
import type { EventSelector } from '../../../storage/record-query.ts'
import { group } from '../group.ts'
import { failure } from '../samples.ts'
import { anEvent, showing } from './records.ts'
import { idOf, insert, remove, second, stored, update, walk, write } from './writing.ts'

const show = (number: number, fields: Partial<Injection> = {}, recall = true): Write => ({
  kind: 'injection',
  injection: showing(number, fields),
  recall,
})
const happen = (number: number, fields: Partial<WorkflowEvent> = {}): Write => ({
  kind: 'event',
  event: anEvent(number, fields),
})

export const showingCases = group('showings', (it) => {
  it('count on the memory once, each by its id', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(1), insert(2)])
    await write(storage, [show(1, { at: second(1) })])
    await write(storage, [show(2, { at: second(2) })])
    await write(other, [show(2, { at: second(9) })])
    await write(storage, [show(3, { memory: idOf(2), at: second(3) }, false)])
    await write(storage, [show(3, { memory: idOf(2), at: second(3) }, true)])
    expect(await stored(other, 1, 2)).toMatchObject([
      { recallCount: 2, lastRecalledAt: second(2), version: 1 },
      { recallCount: 0, lastRecalledAt: null, version: 1 },
    ])
    const { items } = await storage.injections({ session: null, memory: null, after: null, limit: 9 })
    expect(items).toEqual([
      showing(1, { at: second(1) }),
      showing(2, { at: second(2) }),
      showing(3, { memory: idOf(2), at: second(3) }),
    ])
  })

  it('of a deleted or unknown memory are kept', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1)])
    await write(storage, [show(1)])
    await write(storage, [remove(1), show(2, { memory: idOf(77), position: 1 })])
    const { items } = await storage.injections({ session: 'run-1', memory: null, after: null, limit: 9 })
    expect(items).toEqual([showing(1), showing(2, { memory: idOf(77), position: 1 })])
  })

  it('stay counted through later changes', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1)])
    await write(storage, [show(1)])
    await write(storage, [update(1, 2, { content: 'Changed' })])
    await write(storage, [show(2, { at: second(5) })])
    expect(await stored(storage, 1)).toMatchObject([{ recallCount: 2, lastRecalledAt: second(5), version: 2 }])
  })

  it('an older showing counts, and lastRecalledAt keeps the later time', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1)])
    await write(storage, [show(1, { at: second(5) })])
    await write(storage, [show(2, { at: second(2) })])
    expect(await stored(storage, 1)).toMatchObject([{ recallCount: 2, lastRecalledAt: second(5) }])
  })

  it('of a session or of a memory, in the order shown, in pages of any size', async (store) => {
    const storage = await store.storage()
    const shown: [number, number, number, Partial<Injection>?][] = [
      // Number, second, position.
      [5, 1, 0],
      [4, 1, 1],
      [1, 1, 10],
      [2, 2, 0, { memory: idOf(2) }],
      [3, 2, 0],
      [6, 3, 0, { session: 'run-2' }],
      [7, 3, 2, { session: 'run-2', memory: idOf(2) }],
    ]
    const mixed = [6, 2, 0, 5, 1, 4, 3].map((i) => shown[i]!)
    await write(
      storage,
      mixed.map(([number, at, position, fields]) => show(number, { at: second(at), position, ...fields }, false)),
    )
    const read = async (session: string | readonly string[] | null, memory: string | null, limit: number) => {
      const items = await walk(limit, (part) => storage.injections({ session, memory, ...part }))
      return items.map(({ id }) => Number(id.slice(8)))
    }
    for (const limit of [1, 2, 5, 7, 50]) {
      expect(await read(null, null, limit)).toEqual([5, 4, 1, 2, 3, 6, 7])
      expect(await read('run-1', null, limit)).toEqual([5, 4, 1, 2, 3])
      expect(await read('run-2', null, limit)).toEqual([6, 7])
      expect(await read(null, idOf(2), limit)).toEqual([2, 7])
      expect(await read('run-9', null, limit)).toEqual([])
      expect(await read(['run-2', 'run-9', 'run-1'], null, limit)).toEqual([5, 4, 1, 2, 3, 6, 7])
      expect(await read(['run-9', 'run-2'], idOf(2), limit)).toEqual([7])
      expect(await read([], null, limit)).toEqual([])
    }
    await failure(storage.injections({ session: null, memory: null, after: 'garbage!', limit: 1 }), 'INVALID_INPUT')
  })
})

export const eventCases = group('events', (it) => {
  it('are stored once, by id, with every field', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const full = {
      type: 'rejection',
      session: 'run-1',
      identifiers: { projectId: '店', taskId: 't' },
      data: { nested: [1, null, { a: 'が' }] },
    }
    await write(storage, [happen(1, full), happen(2)])
    await write(other, [happen(1, { type: 'approval' })])
    for (const handle of [storage, other]) {
      const { items } = await handle.events({ any: null, after: null, limit: 9 })
      expect(items).toEqual([anEvent(2), anEvent(1, full)])
    }
  })

  it('newest first, by time and then by id, by project or by session', async (store) => {
    const storage = await store.storage()
    await write(storage, [
      happen(1, { at: second(5) }),
      happen(2, { at: second(3), session: 'run-1' }),
      happen(3, { at: second(5), identifiers: { projectId: 'lab' }, session: 'run-1' }),
      happen(4, { at: second(9), identifiers: {} }),
      happen(5, { at: second(5), identifiers: { agentId: 'shop' } }),
    ])
    const read = async (any: EventSelector[] | null, limit: number) => {
      const items = await walk(limit, (part) => storage.events({ any, ...part }))
      return items.map(({ id }) => Number(id.slice(6)))
    }
    for (const limit of [1, 2, 5, 9]) {
      expect(await read(null, limit)).toEqual([4, 5, 3, 1, 2])
      expect(await read([{ project: 'shop' }], limit)).toEqual([1, 2])
      expect(await read([{ session: 'run-1' }], limit)).toEqual([3, 2])
      expect(await read([{ session: 'run-1' }, { project: 'shop' }], limit)).toEqual([3, 1, 2])
      expect(await read([], limit)).toEqual([])
    }
    await failure(storage.events({ any: null, after: 'garbage!', limit: 1 }), 'INVALID_INPUT')
  })
})
