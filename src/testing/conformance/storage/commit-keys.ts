import { expect } from 'vitest'
import { LIMITS } from '../../../model/limits.ts'
import type { Write } from '../../../storage/commit.ts'
import { group } from '../group.ts'
import { showing } from './records.ts'
import { commit, freshKey, insert, numbers, remove, second, stored, update, write } from './writing.ts'

export const commitKeyCases = group('commit keys', (it) => {
  it('a commit repeated with its key does nothing, and answers as the first time', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const key = freshKey()
    const first = await commit(storage, [insert(1)], { key, note: 'what I made' })
    expect(first).toEqual({ applied: true, repeated: false, changed: 1, note: 'what I made' })
    await write(storage, [update(1, 2), insert(2)])
    const again = { applied: true, repeated: true, changed: 1, note: 'what I made' }
    expect(await commit(other, [insert(1)], { key, note: 'another note' })).toEqual(again)
    expect(await commit(storage, [insert(5), remove(2)].slice(0, storage.capabilities.maxWrites), { key })).toEqual(
      again,
    )
    expect(await numbers(storage)).toEqual([2, 1])
    const nothing = freshKey()
    expect(await commit(storage, [remove(77)], { key: nothing })).toMatchObject({ changed: 0, note: null })
    const repeated = { applied: true, repeated: true, changed: 0, note: null }
    expect(await commit(storage, [remove(2)], { key: nothing })).toEqual(repeated)
    expect(await numbers(storage)).toEqual([2, 1])
  })

  it('keys are compared exactly', async (store) => {
    const storage = await store.storage()
    for (const [i, key] of ['a', 'A', 'a ', 'ä', 'a\u0308', '日'].entries()) {
      expect(await commit(storage, [insert(i)], { key }), key).toMatchObject({ repeated: false })
    }
  })

  it('a commit that failed is not remembered', async (store) => {
    const storage = await store.storage()
    const key = freshKey()
    expect(await commit(storage, [update(1, 2)], { key })).toMatchObject({ applied: false })
    await write(storage, [insert(1)])
    expect(await commit(storage, [update(1, 2)], { key })).toMatchObject({ applied: true, repeated: false, changed: 1 })
    expect(await stored(storage, 1)).toMatchObject([{ version: 2 }])
  })

  it('two concurrent attempts with one key are applied once', async (store) => {
    const handles = [await store.storage(), await store.storage()]
    const key = freshKey()
    const one: Write = { kind: 'injection', injection: showing(1), recall: true }
    await write(handles[0]!, [insert(1)])
    const results = await Promise.all([...handles, ...handles].map((handle) => commit(handle, [one], { key })))
    expect(results.map((result) => result.applied && result.repeated).sort()).toEqual([false, true, true, true])
    expect(results.every((result) => result.applied && result.changed === 1)).toBe(true)
    expect(await stored(handles[0]!, 1)).toMatchObject([{ recallCount: 1 }])
  })

  it('an empty commit is remembered too, and an empty note stays empty', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const key = freshKey()
    const answer = { applied: true, changed: 0, note: '' }
    expect(await commit(storage, [], { key, note: '' })).toEqual({ ...answer, repeated: false })
    expect(await commit(other, [insert(1)], { key, note: 'late' })).toEqual({ ...answer, repeated: true })
    expect(await numbers(storage)).toEqual([])
  })

  it('keys of the maximum length are compared completely', async (store) => {
    const storage = await store.storage()
    for (const letter of ['k', '鍵']) {
      const keys = ['a', 'b'].map((end) => letter.repeat(LIMITS.once - 1) + end)
      for (const key of keys) expect(await commit(storage, [], { key })).toMatchObject({ repeated: false })
      for (const key of keys) expect(await commit(storage, [], { key })).toMatchObject({ repeated: true })
    }
  })

  it('a key is still known after hundreds of commits and a purge', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const keys = Array.from({ length: 200 }, freshKey)
    for (const [i, key] of keys.entries()) await commit(storage, [insert(i)], { key, note: key })
    await write(storage, [remove(0)])
    expect(await storage.purge({ before: second(1), dryRun: false })).toMatchObject({ memories: 0, changes: 2 })
    for (const [i, key] of keys.entries()) {
      const answer = await commit(other, [insert(i)], { key })
      expect(answer).toEqual({ applied: true, repeated: true, changed: 1, note: key })
    }
    expect(await stored(storage, 0)).toEqual([])
  })
})
