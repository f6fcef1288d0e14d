import { expect } from 'vitest'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, clock, failure, sample } from '../../../src/testing/conformance/samples.ts'

const SHOP = { projectId: 'shop' }

export const sessionEngineCases = group('engine: sessions, showings and events', (it) => {
  it('a session begins once and ends once, whoever says so', async (store) => {
    const time = clock()
    const [engine, other] = [await store.engine({ now: time.now }), await store.engine({ now: time.now })]
    const begun = await engine.beginSession({ id: 'run-1', project: 'shop', role: 'coder', tier: 2 })
    time.advance(1000)
    expect(await other.beginSession({ id: 'run-1', project: 'shop', agent: 'miso', role: 'reviewer' })).toEqual({
      ...begun,
      agent: 'miso',
    })
    const ended = await other.endSession('run-1', { exitCode: 0, outcome: 'success' })
    expect(ended).toMatchObject({ startedAt: begun.startedAt, endedAt: '2026-03-01T00:00:01.000Z', exitCode: 0 })
    time.advance(1000)
    expect(await engine.endSession('run-1', { exitCode: 1, outcome: 'killed' })).toEqual(ended)
    expect(await engine.session('run-1', ALL)).toEqual(ended)
    expect(await engine.session('run-2', ALL)).toBeNull()
  })

  it('are listed newest first, a page at a time, to their project and their agent', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    for (let i = 1; i <= 5; i++) {
      await engine.beginSession({
        id: `run-${i}`,
        ...(i === 3 ? { agent: 'miso' } : { project: i === 4 ? 'lab' : 'shop' }),
      })
      time.advance(1)
    }
    const ids = async (request: Parameters<typeof engine.sessions>[0]) => {
      const { sessions, nextCursor } = await engine.sessions(request)
      return { ids: sessions.map(({ id }) => Number(id.slice(4))), nextCursor }
    }
    const first = await ids({ ...ALL, limit: 2 })
    expect(first.ids).toEqual([5, 4])
    expect(await ids({ ...ALL, limit: 3, cursor: first.nextCursor! })).toEqual({ ids: [3, 2, 1], nextCursor: null })
    expect((await ids({ identifiers: SHOP })).ids).toEqual([5, 2, 1])
    expect((await ids({ identifiers: { ...SHOP, agentId: 'miso' } })).ids).toEqual([5, 3, 2, 1])
    expect((await ids({ identifiers: { projectId: 'nobody' } })).ids).toEqual([])
    expect(await engine.session('run-4', { identifiers: SHOP })).toBeNull()
    await failure(engine.sessions({} as never), 'MISSING_IDENTIFIER')
    expect((await engine.stats()).sessions).toBe(5)
  })

  it('a memory may name a session that nobody recorded: it is there from then on', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ session: '9' }))
    await engine.add(sample({ content: 'other', session: '09' }))
    expect((await engine.get(memory.id, ALL))?.session).toBe('9')
    expect(await engine.session('9', ALL)).toMatchObject({ id: '9', project: 'shop', endedAt: null })
    expect((await engine.list({ ...ALL, session: '9' })).totalCount).toBe(1)
    expect((await engine.list({ ...ALL, session: '90' })).totalCount).toBe(0)
  })

  it('a showing is recorded in order and counted once on each memory, also when it is told again', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const added = (await engine.bulkAdd(['one', 'two', 'three'].map((content) => sample({ content })))).memories
    const entries = [2, 0].map((i, position) => ({ memory: added[i]!.id, position, tokens: 5 + i }))
    const showing = { identifiers: SHOP, session: 'run-1', format: 'file', entries, key: 'k1' }
    time.advance(5)
    await engine.recordShowing(showing)
    await engine.recordShowing(showing)
    time.advance(5)
    await engine.recordShowing({ ...showing, key: 'k2', entries: entries.slice(0, 1) })
    const { injections } = await engine.injections({ identifiers: SHOP, session: 'run-1' })
    expect(injections.map(({ memory, position, tokens }) => [memory, position, tokens])).toEqual([
      [added[2]!.id, 0, 7],
      [added[0]!.id, 1, 5],
      [added[2]!.id, 0, 7],
    ])
    const counts = await Promise.all(added.map(({ id }) => engine.get(id, ALL)))
    expect(counts.map((memory) => [memory!.recallCount, memory!.lastRecalledAt, memory!.version])).toEqual([
      [1, '2026-03-01T00:00:00.005Z', 1],
      [0, null, 1],
      [2, '2026-03-01T00:00:00.010Z', 1],
    ])
    expect((await engine.injections({ identifiers: SHOP, memory: added[0]!.id })).injections).toHaveLength(1)
    expect((await engine.injections({ identifiers: { projectId: 'lab' }, session: 'run-1' })).injections).toEqual([])
    // Counting is not a change: the history is unchanged, and an update keeps the count.
    expect((await engine.history(added[2]!.id, ALL)).changes).toHaveLength(1)
    expect((await engine.update(added[2]!.id, { importance: 1 }, ALL)).memory.recallCount).toBe(2)
    expect((await engine.get(added[2]!.id, ALL))?.recallCount).toBe(2)
  })

  it('showings and events come a page at a time, each once', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const { memory } = await engine.add(sample())
    const told: string[] = []
    for (let i = 0; i < 5; i++) {
      const entries = [{ memory: memory.id, position: i, tokens: 1 }]
      await engine.recordShowing({ identifiers: SHOP, session: 'run-1', format: 'file', entries })
      await engine.record(
        { type: 'hint', projectId: 'shop', summary: `Hint ${'x'.repeat(i + 3)} of its own` },
        { key: `k${i}` },
      )
      told.unshift(time.now().toISOString())
      time.advance(1)
    }
    for (const limit of [2, 5]) {
      const positions: number[] = []
      const events: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const request = { identifiers: SHOP, session: 'run-1', limit, ...(cursor ? { cursor } : {}) }
        const page: Awaited<ReturnType<typeof engine.injections>> = await engine.injections(request)
        expect(page.injections.length).toBeLessThanOrEqual(limit)
        positions.push(...page.injections.map(({ position }) => position))
        cursor = page.nextCursor
      }
      for (let cursor: string | null = ''; cursor !== null; ) {
        const request = { identifiers: SHOP, limit, ...(cursor ? { cursor } : {}) }
        const page: Awaited<ReturnType<typeof engine.events>> = await engine.events(request)
        expect(page.events.length).toBeLessThanOrEqual(limit)
        events.push(...page.events.map(({ at }) => at))
        cursor = page.nextCursor
      }
      expect(positions).toEqual([0, 1, 2, 3, 4])
      expect(events).toEqual(told)
    }
  })

  it('events are kept with what they left, newest first, for their project', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const hint = (summary: string, projectId = 'shop') => ({ type: 'hint', projectId, summary }) as const
    await engine.record(hint('Ask Ann about the taxes'), { session: 'run-1' })
    time.advance(1)
    await engine.record(hint('The staging server sleeps'), { key: 'k' })
    await engine.record(hint('The staging server sleeps'), { key: 'k' })
    await engine.record(hint('Elsewhere all is different', 'lab'))
    const { events } = await engine.events({ identifiers: SHOP })
    expect(events.map(({ type, session }) => [type, session])).toEqual([
      ['hint', null],
      ['hint', 'run-1'],
    ])
    expect((await engine.events(ALL)).events).toHaveLength(3)
    expect((await engine.list({ identifiers: SHOP })).totalCount).toBe(2)
  })
})
