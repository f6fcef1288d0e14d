import { expect } from 'vitest'
import type { Write } from '../../../storage/commit.ts'
import type { MemoryOrder, StoredMemory } from '../../../storage/memory-query.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { failure } from '../samples.ts'
import {
  embeddingFor,
  expectVector,
  idOf,
  insert,
  numberOf,
  numbers,
  query,
  remove,
  SHOP,
  second,
  walk,
  write,
} from './writing.ts'

/** Number, seconds of creation and update, confidence, importance, second until which it is visible. Values repeat. */
const ROWS: [number, created: number, updated: number, number, number, until: number | null][] = [
  [1, 5, 14, 0.7, 50, 30],
  [2, 3, 18, 0.9, 10, 60],
  [3, 5, 12, 0.9, 100, 60],
  [4, 1, 20, 0.31, 9, 20],
  [5, 5, 10, 0.7, 9.5, 50],
  [6, 9, 16, 1, 50, 70],
  [7, 3, 14, 0, 0, null],
  [8, 1, 12, 0.3, 100, 20],
  [9, 3, 18, 0.7, 50, 30],
]

const ORDERED: Record<MemoryOrder, number[]> = {
  newest: [6, 5, 3, 1, 9, 7, 2, 8, 4],
  oldest: [4, 8, 2, 7, 9, 1, 3, 5, 6],
  confidence: [6, 3, 2, 5, 1, 9, 4, 8, 7],
  importance: [3, 8, 6, 1, 9, 2, 5, 4, 7],
  updated: [4, 9, 2, 6, 7, 1, 8, 3, 5],
  fading: [7, 4, 8, 1, 9, 5, 2, 3, 6],
}
const ORDERS = Object.keys(ORDERED) as MemoryOrder[]

function rows(): Write[] {
  return ROWS.map(([number, created, updated, confidence, importance, until]) =>
    insert(
      number,
      { createdAt: second(created), updatedAt: second(updated), confidence, importance },
      { visibleUntil: until === null ? '' : second(until) },
    ),
  )
}

function walkNumbers(
  storage: Storage,
  order: MemoryOrder,
  limit: number,
  between: (seen: readonly number[]) => Promise<void> = async () => {},
) {
  const toNumbers = (items: readonly StoredMemory[]) => items.map(({ memory }) => numberOf(memory.id))
  const read = (part: { after: string | null; limit: number }) =>
    storage.memories(query({ order, scopes: [SHOP], ...part }))
  return walk(limit, read, (seen) => between(toNumbers(seen))).then(toNumbers)
}

export const memoriesCases = group('memories', (it) => {
  for (const order of ORDERS) {
    it(`${order}: in order, also where values are equal, in pages of any size`, async (store) => {
      const storage = await store.storage()
      await write(storage, rows())
      expect(await numbers(storage, { order })).toEqual(ORDERED[order])
      for (const limit of [1, 2, 3, 4, 8, 9, 10]) {
        expect(await walkNumbers(storage, order, limit), `pages of ${limit}`).toEqual(ORDERED[order])
      }
    })

    it(`${order}: what exists throughout is seen once, whatever is added or removed meanwhile`, async (store) => {
      const [storage, other] = [await store.storage(), await store.storage()]
      await write(storage, rows())
      let rounds = 0
      const seen = await walkNumbers(storage, order, 2, async (soFar) => {
        rounds++
        if (rounds > 3) return
        // Inserts memories before, after and among equals while a reader pages, and deletes the last one it saw.
        const added = [0, 4, 5, 9].map((created, i) =>
          insert(rounds * 100 + i, { createdAt: second(created), confidence: 0.7, importance: 50 }),
        )
        await write(other, added)
        await write(other, [remove(soFar.at(-1)!), remove(rounds * 100 + 1)])
      })
      const old = seen.filter((number) => number < 100)
      expect(old).toEqual(ORDERED[order])
      expect(new Set(seen).size).toBe(seen.length)
    })
  }

  it('counts all pages together on request, with the conditions', async (store) => {
    const storage = await store.storage()
    await write(storage, [...rows(), insert(20, { identifiers: { projectId: 'lab' }, tags: ['x'] })])
    await write(storage, [remove(4)])
    const first = await storage.memories(query({ limit: 2 }))
    expect(first.totalCount).toBe(9)
    expect((await storage.memories(query({ limit: 2, after: first.next }))).totalCount).toBe(9)
    expect((await storage.memories(query({ limit: 2, scopes: [SHOP] }))).totalCount).toBe(8)
    expect((await storage.memories(query({ limit: 1, where: { tags: ['x'] } }))).totalCount).toBe(1)
    expect((await storage.memories(query({ scopes: [] }))).totalCount).toBe(0)
    expect((await storage.memories(query({ count: false }))).totalCount).toBeNull()
  })

  it('returns vectors on request', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1, {}, { text: 'one' }), insert(2), insert(3, {}, { text: 'three' })])
    const { items } = await storage.memories(query({ order: 'oldest', vectors: true }))
    expectVector(items[0]?.vector, 'one')
    expect(items[1]?.vector).toBeNull()
    expectVector(items[2]?.vector, 'three')
    const without = await storage.memories(query({ vectors: false }))
    expect(without.items.map(({ vector }) => vector)).toEqual([null, null, null])
    expect(embeddingFor('one').hash).not.toBe(embeddingFor('three').hash)
  })

  it('an empty store has one empty page', async (store) => {
    const storage = await store.storage()
    for (const order of ORDERS) {
      expect(await storage.memories(query({ order }))).toEqual({ items: [], next: null, totalCount: 0 })
    }
  })

  it('an invalid position is INVALID_INPUT, in every order', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1), insert(2)])
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const order of ORDERS) {
      for (const after of ['', 'garbage!', idOf(1), forged(null), forged({ offset: 1 }), forged(['n1', 5, {}])]) {
        await failure(storage.memories(query({ order, after })), 'INVALID_INPUT')
      }
    }
  })
})
