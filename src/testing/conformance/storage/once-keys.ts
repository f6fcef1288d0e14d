import { expect } from 'vitest'
import { LIMITS } from '../../../model/limits.ts'
import { group } from '../group.ts'
import { commit, freshKey, idOf, insert, numbers, remove, stored, update, write } from './writing.ts'

const TAKEN = { applied: false, failures: [{ write: 0, reason: 'once' }] }

export const onceKeyCases = group('once-keys', (it) => {
  it('can be taken once, by an insert or an update, through any handle', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    await write(storage, [insert(1, {}, { once: 'a' }), insert(2)])
    await write(storage, [update(2, 2, {}, { once: 'b' })])
    for (const handle of [storage, other]) {
      expect(await commit(handle, [insert(3, {}, { once: 'a' })])).toEqual(TAKEN)
      expect(await commit(handle, [insert(3, {}, { once: 'b' })])).toEqual(TAKEN)
      expect(await commit(handle, [update(1, 2, {}, { once: 'a' })])).toEqual(TAKEN)
      expect(await commit(handle, [update(1, 2, {}, { once: 'b' })])).toEqual(TAKEN)
    }
    expect(await stored(storage, 1, 2)).toMatchObject([{ version: 1 }, { version: 2 }])
    await write(storage, [update(1, 2, {}, { once: 'c' })])
    expect(await numbers(other)).toEqual([2, 1])
  })

  it('a write takes all of its keys, or none if one is taken', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1, {}, { once: ['a', 'b'] })])
    for (const once of [
      ['b', 'c'],
      ['c', 'b'],
      ['a', 'b'],
    ]) {
      expect(await commit(storage, [insert(2, {}, { once })])).toEqual(TAKEN)
      expect(await commit(storage, [update(1, 2, {}, { once })])).toEqual(TAKEN)
    }
    expect(await storage.known(['a', 'b', 'c'])).toEqual(new Set(['a', 'b']))
    await write(storage, [update(1, 2, {}, { once: ['c', 'd'] }), insert(3, {}, { once: [] })])
    expect(await storage.known(['a', 'b', 'c', 'd'])).toEqual(new Set(['a', 'b', 'c', 'd']))
  })

  it('a mark takes the free keys, and changes neither the others nor the memory', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1, {}, { once: 'a' }), insert(2)])
    const before = await stored(storage, 2)
    const mark = (...once: string[]) => ({ kind: 'mark' as const, memory: idOf(2), once })
    expect(await commit(storage, [mark('a', 'b')])).toMatchObject({ applied: true, changed: 1 })
    expect(await commit(storage, [mark('b', 'a')])).toMatchObject({ applied: true, changed: 0 })
    expect(await storage.known(['a', 'b'])).toEqual(new Set(['a', 'b']))
    expect(await stored(storage, 2)).toEqual(before)
    expect(await commit(storage, [insert(3, {}, { once: 'b' })])).toEqual(TAKEN)
  })

  it('stay taken when the memory is changed or deleted', async (store) => {
    const storage = await store.storage()
    await write(storage, [insert(1, {}, { once: 'a' }), insert(2, {}, { once: 'b' })])
    await write(storage, [update(1, 2, { content: 'Other words' }), remove(2)])
    for (const once of ['a', 'b']) expect(await commit(storage, [insert(3, {}, { once })]), once).toEqual(TAKEN)
    expect(await storage.known(['a', 'b'])).toEqual(new Set(['a', 'b']))
  })

  it('known returns exactly the keys that are taken', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    expect(await storage.known(['a'])).toEqual(new Set())
    await write(storage, [insert(1, {}, { once: 'a' }), insert(2, {}, { once: 'か' }), insert(3)])
    for (const handle of [storage, other]) {
      expect(await handle.known(['b', 'か', 'a', 'A', 'a ', 'が', 'a'])).toEqual(new Set(['a', 'か']))
    }
    expect(await storage.known([])).toEqual(new Set())
    const many = Array.from({ length: 300 }, (_, i) => `unknown ${i}`)
    expect(await storage.known([...many, 'a'])).toEqual(new Set(['a']))
  })

  it('keys of the maximum length are compared completely', async (store) => {
    const storage = await store.storage()
    const [ascii, wide] = ['k', '鍵'].map((letter) =>
      ['a', 'b', 'c'].map((end) => letter.repeat(LIMITS.once - 1) + end),
    )
    for (const [i, keys] of [ascii!, wide!].entries()) {
      await write(storage, [insert(i * 10, {}, { once: keys[0]! }), insert(i * 10 + 1, {}, { once: keys[1]! })])
      expect(await storage.known(keys)).toEqual(new Set(keys.slice(0, 2)))
      expect(await commit(storage, [insert(99, {}, { once: keys[1]! })])).toEqual(TAKEN)
    }
  })

  it('are separate from commit keys', async (store) => {
    const storage = await store.storage()
    const key = freshKey()
    await commit(storage, [insert(1, {}, { once: 'a' })], { key })
    expect(await storage.known([key])).toEqual(new Set())
    expect(await commit(storage, [insert(2, {}, { once: key })], { key: 'a' })).toMatchObject({ repeated: false })
  })

  it('of two sessions that take a key at the same time, one gets it', async (store) => {
    const handles = [await store.storage(), await store.storage()]
    const results = await Promise.all(handles.map((handle, i) => commit(handle, [insert(i, {}, { once: 'a' })])))
    expect(results.filter((result) => result.applied)).toHaveLength(1)
    expect(results.filter((result) => !result.applied)).toEqual([TAKEN])
    expect(await numbers(handles[0]!)).toHaveLength(1)
  })
})
