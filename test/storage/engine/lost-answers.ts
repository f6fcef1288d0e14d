import { expect } from 'vitest'
import type { Nokosu } from '../../../src/engine/nokosu.ts'
import { MemoryError } from '../../../src/model/errors.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, sample } from '../../../src/testing/conformance/samples.ts'
import type { StoreUnderTest } from '../../../src/testing/conformance/store-under-test.ts'
import { failing, interceptStorage } from '../../../src/testing/intercept-storage.ts'

const SHOP = { projectId: 'shop' }
const QUICK = { retries: 3, baseMs: 1, factor: 1, maxMs: 2 }

/** An engine whose next commit is applied but its answer lost; all other commits work. */
async function forgetful(store: StoreUnderTest): Promise<{ engine: Nokosu; lose(): void; lost(): boolean }> {
  let armed = false
  let lost = false
  const engine = await store.engine({
    retry: QUICK,
    wrap: (storage) =>
      interceptStorage(storage, {
        after(method) {
          if (method !== 'commit' || !armed) return
          armed = false
          lost = true
          throw new MemoryError('PROVIDER_ERROR', 'The connection was reset.')
        },
      }),
  })
  return {
    engine,
    lose() {
      armed = true
    },
    lost: () => lost,
  }
}

/** Write operations, with the state that they must leave however often the answer is lost. */
const OPERATIONS: { title: string; run(engine: Nokosu, lose: () => void): Promise<void> }[] = [
  {
    title: 'add stores once, and returns what it stored',
    async run(engine, lose) {
      lose()
      const { memory } = await engine.add(sample())
      expect((await engine.list(ALL)).memories).toEqual([memory])
      expect((await engine.history(memory.id, ALL)).changes).toHaveLength(1)
    },
  },
  {
    title: 'bulkAdd stores each once',
    async run(engine, lose) {
      lose()
      const { memories } = await engine.bulkAdd(['one', 'two', 'three'].map((content) => sample({ content })))
      expect((await engine.list(ALL)).memories).toEqual(memories.toReversed())
    },
  },
  {
    title: 'update is applied once, and tells the version that it led to',
    async run(engine, lose) {
      const { memory } = await engine.add(sample())
      lose()
      const { memory: updated } = await engine.update(memory.id, { content: 'Changed' }, ALL)
      expect(updated).toMatchObject({ content: 'Changed', version: 2 })
      lose()
      const named = await engine.update(memory.id, { importance: 7, version: 2 }, ALL)
      expect(named.memory).toMatchObject({ importance: 7, version: 3 })
      expect(await engine.get(memory.id, ALL)).toEqual(named.memory)
      expect((await engine.history(memory.id, ALL)).changes.map(({ version }) => version)).toEqual([1, 2, 3])
    },
  },
  {
    title: 'delete and bulkDelete delete once',
    async run(engine, lose) {
      const { memories } = await engine.bulkAdd(['one', 'two', 'three'].map((content) => sample({ content })))
      const [first, ...rest] = memories.map(({ id }) => id) as [string, ...string[]]
      lose()
      expect(await engine.delete(first, ALL)).toEqual({ success: true })
      lose()
      expect(await engine.bulkDelete(rest, ALL)).toEqual({ deleted: 2, failed: [] })
      expect((await engine.list(ALL)).totalCount).toBe(0)
      expect((await engine.history(first, ALL)).changes.map(({ operation }) => operation)).toEqual(['create', 'delete'])
    },
  },
  {
    title: 'remember stores what a session said once, and says so',
    async run(engine, lose) {
      const candidate = { content: 'The queue drains every minute', category: 'timing' as const, service: 'web' }
      lose()
      const first = await engine.remember([candidate], { identifiers: SHOP, session: 'run-1' })
      expect(first.map(({ kind }) => kind)).toEqual(['insert'])
      lose()
      const second = await engine.remember([candidate], { identifiers: SHOP, session: 'run-2' })
      expect(second.map(({ kind }) => kind)).toEqual(['reinforce'])
      const { memories } = await engine.list(ALL)
      expect(memories).toMatchObject([{ confidence: 0.8, version: 2 }])
    },
  },
  {
    title: 'capture stores each marker once',
    async run(engine, lose) {
      lose()
      const markers = '[MEMORY:timing:web] Starts in a minute\n[MEMORY:behavior:db] Locks the table at noon'
      const { outcomes } = await engine.capture(markers, { identifiers: SHOP, format: 'text', session: 'run-1' })
      expect(outcomes.map(({ kind }) => kind)).toEqual(['insert', 'insert'])
      expect((await engine.list(ALL)).totalCount).toBe(2)
    },
  },
  {
    title: 'record stores the event and its memory once',
    async run(engine, lose) {
      lose()
      const { outcomes } = await engine.record({ type: 'hint', projectId: 'shop', summary: 'Ask Ann about taxes' })
      expect(outcomes.map(({ kind }) => kind)).toEqual(['insert'])
      expect((await engine.list(ALL)).totalCount).toBe(1)
      expect((await engine.events(ALL)).events).toHaveLength(1)
    },
  },
  {
    title: 'a showing is counted once',
    async run(engine, lose) {
      const { memory } = await engine.add(sample())
      lose()
      await engine.context({ identifiers: SHOP, session: 'run-1' })
      expect((await engine.get(memory.id, ALL))?.recallCount).toBe(1)
      lose()
      const entries = [{ memory: memory.id, position: 0, tokens: 1 }]
      await engine.recordShowing({ identifiers: SHOP, session: 'run-2', format: 'file', entries })
      expect((await engine.get(memory.id, ALL))?.recallCount).toBe(2)
      expect((await engine.injections({ ...ALL, memory: memory.id })).injections).toHaveLength(2)
    },
  },
  {
    title: 'a session begins and ends once',
    async run(engine, lose) {
      lose()
      await engine.beginSession({ id: 'run-1', project: 'shop' })
      lose()
      expect(await engine.endSession('run-1', { exitCode: 3 })).toMatchObject({ exitCode: 3, project: 'shop' })
      expect((await engine.sessions(ALL)).sessions).toHaveLength(1)
    },
  },
  {
    title: 'documents are set once',
    async run(engine, lose) {
      lose()
      await engine.personality.set({ agentName: 'nori', displayName: 'Nori', persona: 'Green.' })
      lose()
      await engine.directory.set({ projectId: 'shop', teamId: 'red' })
      expect(await engine.personality.list()).toHaveLength(1)
      expect(await engine.directory.list()).toHaveLength(1)
    },
  },
]

export const lostAnswerCases = group('engine: answers that get lost', (it) => {
  for (const { title, run } of OPERATIONS) {
    it(`[D24] ${title}, when it was done and nobody heard of it`, async (store) => {
      const { engine, lose, lost } = await forgetful(store)
      await run(engine, lose)
      expect(lost()).toBe(true)
    })
  }

  it('[D24] a call that failed in the end, made again with its key, goes on where it was', async (store) => {
    const gone = new MemoryError('PROVIDER_ERROR', 'The connection was reset.')
    // `add` and its three retries are all applied or repeated, and all answers are lost.
    const fault = failing('commit', gone, 4)
    const engine = await store.engine({ retry: QUICK, wrap: (storage) => interceptStorage(storage, { after: fault }) })
    await expect(engine.add(sample(), { key: 'mine' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    const { memory } = await engine.add(sample(), { key: 'mine' })
    expect((await engine.list(ALL)).memories).toEqual([memory])
    const other = await store.engine()
    expect((await other.add(sample(), { key: 'mine' })).memory).toEqual(memory)
    const others = other.add(sample({ content: 'Other words' }), { key: 'mine' })
    await expect(others).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await other.update(memory.id, { importance: 3 }, { ...ALL, key: 'u' })).memory.version).toBe(2)
    expect((await other.update(memory.id, { importance: 3 }, { ...ALL, key: 'u' })).memory.version).toBe(2)
  })
})
