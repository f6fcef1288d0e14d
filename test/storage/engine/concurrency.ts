import { expect } from 'vitest'
import type { Nokosu } from '../../../src/engine/nokosu.ts'
import { MemoryError } from '../../../src/model/errors.ts'
import type { Commit } from '../../../src/storage/commit.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, clock, contentsOf, sample } from '../../../src/testing/conformance/samples.ts'
import { interceptStorage } from '../../../src/testing/intercept-storage.ts'

export const concurrencyCases = group('engine: concurrency', (it) => {
  it('interleaved adds of two handles lose nothing, within one millisecond too', async (store) => {
    const { now } = clock()
    const [first, second] = [await store.engine({ now }), await store.engine({ now })]
    const adds = Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? first : second).add(sample({ content: `Fact ${i}` })),
    )
    const added = await Promise.all(adds)
    expect(new Set(added.map(({ memory }) => memory.id)).size).toBe(40)
    for (const engine of [first, second]) {
      const { memories, totalCount } = await engine.list({ ...ALL, limit: 100 })
      expect(totalCount).toBe(40)
      expect(contentsOf(memories).sort()).toEqual(added.map(({ memory }) => memory.content).sort())
      for (const { memory } of added) expect(await engine.get(memory.id, ALL)).toEqual(memory)
    }
  })

  it('bulk adds of two handles at once are both there, whole', async (store) => {
    const handles = [await store.engine(), await store.engine()]
    const parts = await Promise.all(
      handles.map((engine, n) =>
        engine.bulkAdd(Array.from({ length: 25 }, (_, i) => sample({ content: `Part ${n} fact ${i}` }))),
      ),
    )
    expect(parts.flatMap((part) => part.memories)).toHaveLength(50)
    expect((await handles[0]!.list(ALL)).totalCount).toBe(50)
  })

  it('of concurrent updates that name the version, exactly one wins and the others are CONFLICTs', async (store) => {
    const handles = [await store.engine(), await store.engine()]
    const { memory } = await handles[0]!.add(sample())
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => handles[i % 2]!.update(memory.id, { importance: i, version: 1 }, ALL)),
    )
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      const { code, message, details } = outcome.reason as MemoryError
      expect(code).toBe('CONFLICT')
      expect(message).toMatch(details.version === null ? /meantime\.$/ : /meantime \(version 2\)\.$/)
    }
    expect(await handles[1]!.get(memory.id, ALL)).toEqual(won[0]!.value.memory)
    expect((await handles[0]!.history(memory.id, ALL)).changes).toHaveLength(2)
  })

  it('concurrent updates without a version are all applied', async (store) => {
    const handles = [await store.engine(), await store.engine()]
    const { memory } = await handles[0]!.add(sample())
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => handles[i % 2]!.update(memory.id, { metadata: { [`key${i}`]: i } }, ALL)),
    )
    const after = await handles[0]!.get(memory.id, ALL)
    expect(after?.version).toBe(9)
    expect(Object.keys(after!.metadata)).toHaveLength(8)
    const versions = (await handles[1]!.history(memory.id, ALL)).changes.map((change) => change.version)
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('sessions that say the same new thing at one instant leave one memory, and words that were deleted can come back', async (store) => {
    // Neither stores it before the other has looked for it.
    const looked = Promise.withResolvers<void>()
    let waiting = 0
    const wrap = (storage: Storage) => {
      let isFirst = true
      return interceptStorage(storage, {
        async before(method, [commit]) {
          if (method !== 'commit' || !isFirst || !(commit as Commit).writes.some(({ kind }) => kind === 'insert'))
            return
          isFirst = false
          if (++waiting === 2) looked.resolve()
          await looked.promise
        },
      })
    }
    const handles = [await store.engine({ wrap }), await store.engine({ wrap })]
    const say = (engine: Nokosu, session: string) =>
      engine.remember([{ content: 'The importer needs 2 GB', category: 'learning' }], {
        identifiers: { projectId: 'shop' },
        session,
      })
    const told = await Promise.all(Array.from({ length: 6 }, (_, i) => say(handles[i % 2]!, `run-${i}`)))
    expect(
      told
        .flat()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['insert', ...Array.from({ length: 5 }, () => 'reinforce')])
    const { memories } = await handles[1]!.list(ALL)
    expect(contentsOf(memories)).toEqual(['The importer needs 2 GB'])
    await handles[0]!.delete(memories[0]!.id, ALL)
    expect((await say(handles[1]!, 'run-later'))[0]?.kind).toBe('insert')
    expect((await handles[0]!.list(ALL)).totalCount).toBe(1)
  })

  it('an update and a delete at once: the memory is gone, and the history tells the order', async (store) => {
    const handles = [await store.engine(), await store.engine()]
    const { memory } = await handles[0]!.add(sample())
    const [update, removal] = await Promise.allSettled([
      handles[0]!.update(memory.id, { importance: 1 }, ALL),
      handles[1]!.delete(memory.id, ALL),
    ])
    expect(removal.status).toBe('fulfilled')
    if (update.status === 'rejected')
      expect(MemoryError.is(update.reason) && update.reason.code).toBe('MEMORY_NOT_FOUND')
    expect(await handles[0]!.get(memory.id, ALL)).toBeNull()
    expect((await handles[0]!.history(memory.id, ALL)).changes.at(-1)?.operation).toBe('delete')
  })

  it('a list cursor is stable under concurrent inserts and deletes: what was there is seen once', async (store) => {
    const time = clock()
    const [reader, writer] = [await store.engine({ now: time.now }), await store.engine({ now: time.now })]
    const before: string[] = []
    for (let i = 0; i < 12; i++) {
      before.push((await writer.add(sample({ content: `Old ${i}` }))).memory.id)
      time.advance(1)
    }
    const seen: string[] = []
    let cursor: string | null = null
    let page = 0
    do {
      const part: Awaited<ReturnType<Nokosu['list']>> = await reader.list({
        ...ALL,
        limit: 5,
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...part.memories.map((memory) => memory.id))
      cursor = part.nextCursor
      await writer.add(sample({ content: `New ${page}` }))
      // An already listed memory and the one at the cursor are deleted.
      if (page++ === 0) await writer.bulkDelete([before[11]!, seen.at(-1)!], ALL)
      time.advance(1)
    } while (cursor !== null)
    expect(seen).toEqual(before.toReversed())
  })

  it('what one handle writes, the other searches at once', async (store) => {
    const [reader, writer] = [await store.engine(), await store.engine()]
    const find = async (query: string) =>
      contentsOf((await reader.search({ query, identifiers: { projectId: 'shop' } })).results)
    expect(await find('quokka')).toEqual([])
    const { memory } = await writer.add(sample({ content: 'Quokka' }))
    expect(await find('quokka')).toEqual(['Quokka'])
    await writer.bulkAdd([sample({ content: 'Wombat' }), sample({ content: 'Numbat' })])
    expect(await find('wombat')).toEqual(['Wombat'])
    await writer.delete(memory.id, ALL)
    expect(await find('quokka')).toEqual([])
  })
})
