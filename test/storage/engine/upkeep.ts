import { expect } from 'vitest'

import { referenceStorage } from '../../../src/storage/reference/reference-storage.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, clock, contentsOf, sample } from '../../../src/testing/conformance/samples.ts'
import { openPlain } from '../../../src/testing/conformance/store-under-test.ts'

const SHOP = { projectId: 'shop' }
const DAY = 86_400_000

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

export const upkeepEngineCases = group('engine: decay, sweep, purge, export and import', (it) => {
  it('decay is seen on every read path before anybody writes it, and sweep writes it once', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const fading = { category: 'timing', source: 'extraction', tier: 1 } as const
    const { memory } = await engine.add(sample({ content: 'Old news of the disk', ...fading, confidence: 0.9 }))
    await engine.add(sample({ content: 'Faint news of the disk', ...fading, confidence: 0.35 }))
    time.advance(44 * DAY)
    expect(await engine.get(memory.id, ALL)).toMatchObject({ confidence: 0.7, version: 1 })
    for (const found of [
      (await engine.list({ identifiers: SHOP })).memories,
      (await engine.search({ identifiers: SHOP, query: 'old news of the disk', threshold: 0 })).results.map(
        (result) => result.memory,
      ),
    ]) {
      expect(found).toMatchObject([{ id: memory.id, confidence: 0.7 }])
    }
    const swept = await engine.sweep()
    expect(await engine.get(memory.id, ALL)).toMatchObject({ confidence: 0.7, version: 2 })
    expect((await engine.stats()).active).toBe(1)
    await engine.sweep()
    expect((await engine.get(memory.id, ALL))?.version).toBe(2)
    expect(swept).toBeTypeOf('object')
    const { changes } = await engine.history(memory.id, ALL)
    expect(changes.map(({ version }) => version)).toEqual([1, 2])
  })

  it('sweep removes what has expired, of every scope, and its dry run changes nothing', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    for (let i = 0; i < 12; i++) {
      const identifiers = { projectId: i % 2 === 0 ? 'shop' : 'lab' }
      const expiresAt = i < 9 ? '2026-03-01T01:00:00.000Z' : '2026-03-09T00:00:00.000Z'
      await engine.add(sample({ content: `Fact ${i}`, identifiers, expiresAt }))
    }
    time.advance(3_600_000)
    await engine.sweep({ dryRun: true })
    expect((await engine.stats()).memories).toBe(12)
    await engine.sweep()
    expect((await engine.stats()).memories).toBe(3)
    expect(contentsOf((await engine.list(ALL)).memories)).toEqual(['Fact 11', 'Fact 10', 'Fact 9'])
  })

  it('purge removes what has been inactive or deleted since before a time, and nothing else', async (store) => {
    const time = clock()
    const [engine, other] = [await store.engine({ now: time.now }), await store.engine({ now: time.now })]
    const add = async (content: string) => (await engine.add(sample({ content, session: 'run-1' }))).memory
    const [kept, idle, gone, later] = [await add('kept'), await add('idle'), await add('gone'), await add('later')]
    await engine.context({ identifiers: SHOP, session: 'run-2' })
    time.advance(1000)
    await engine.update(idle.id, { active: false }, ALL)
    await engine.delete(gone.id, ALL)
    time.advance(1000)
    const before = time.now()
    await engine.update(later.id, { active: false }, ALL)
    const planned = await engine.purge({ before, dryRun: true })
    expect(planned).toMatchObject({ memories: 1, changes: 4 })
    expect((await engine.history(gone.id, ALL)).changes).toHaveLength(2)
    expect(await engine.purge({ before })).toMatchObject({ memories: 1, changes: 4 })
    for (const id of [idle.id, gone.id]) {
      expect(await other.get(id, ALL)).toBeNull()
      expect((await other.history(id, ALL)).changes).toEqual([])
      expect((await other.injections({ ...ALL, memory: id })).injections).toEqual([])
    }
    expect((await other.list({ ...ALL, includeInactive: true })).memories.map(({ id }) => id)).toEqual([
      later.id,
      kept.id,
    ])
    expect((await other.history(later.id, ALL)).changes).toHaveLength(2)
    expect((await other.injections({ ...ALL, session: 'run-2' })).injections).toHaveLength(2)
    expect(
      (await other.search({ identifiers: SHOP, query: 'idle gone', threshold: 0, includeInactive: true })).results,
    ).toHaveLength(2)
  })

  it('what a session said stays said when it is deleted, and may be said again after a purge', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const say = async () => {
      const candidate = { content: 'The queue drains every minute', category: 'timing' as const, service: 'web' }
      const [outcome] = await engine.remember([candidate], { identifiers: SHOP, session: 'run-1' })
      return outcome!.kind
    }
    expect(await say()).toBe('insert')
    expect(await say()).toBe('duplicate')
    const [memory] = (await engine.list(ALL)).memories
    await engine.update(memory!.id, { content: 'The queue drains every hour' }, ALL)
    expect(await say()).toBe('duplicate')
    await engine.delete(memory!.id, ALL)
    expect(await say()).toBe('duplicate')
    expect((await engine.stats()).memories).toBe(0)
    time.advance(1000)
    await engine.purge()
    expect(await say()).toBe('insert')
  })

  it('a session confirms a memory once, however often it says so, and so does each other session', async (store) => {
    const engine = await store.engine()
    const say = async (session: string) => {
      const candidate = { content: 'The queue drains every minute', category: 'timing' as const, service: 'web' }
      const [outcome] = await engine.remember([candidate], { identifiers: SHOP, session })
      return outcome!.kind
    }
    expect([await say('run-1'), await say('run-2'), await say('run-2'), await say('run-1')]).toEqual([
      'insert',
      'reinforce',
      'duplicate',
      'duplicate',
    ])
    expect((await engine.list(ALL)).memories).toMatchObject([{ confidence: 0.8, version: 2 }])
    // Edited since: it is still the memory that the session confirmed.
    const [memory] = (await engine.list(ALL)).memories
    await engine.update(memory!.id, { importance: 3 }, ALL)
    expect(await say('run-2')).toBe('duplicate')
    expect(await say('run-3')).toBe('reinforce')
  })

  it('what an agent learns in a project confirms nothing that it knows elsewhere', async (store) => {
    const engine = await store.engine()
    const candidate = { content: 'The queue drains every minute', category: 'timing' as const, service: 'web' }
    const places = [{ agentId: 'miso' }, { agentId: 'miso', projectId: 'shop' }, { agentId: 'miso', projectId: 'lab' }]
    for (const [i, identifiers] of places.entries()) {
      const [outcome] = await engine.remember([candidate], { identifiers, layer: 'agent', session: `run-${i}` })
      expect(outcome!.kind).toBe('insert')
    }
    expect((await engine.list(ALL)).memories.map(({ confidence }) => confidence)).toEqual([0.7, 0.7, 0.7])
  })

  it('an export holds everything, and importing it twice adds it once', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const { memory } = await engine.add(
      sample({ content: 'Ночью й и ё, ガード, 한국어', tags: ['日'], session: 'run-1' }),
    )
    const other = (
      await engine.add(sample({ content: 'Disk alerts fire at night', layer: 'user', identifiers: { userId: 'ann' } }))
    ).memory
    time.advance(5)
    await engine.update(memory.id, { importance: 9 }, ALL)
    await engine.context({ identifiers: SHOP, session: 'run-1' })
    await engine.record({ type: 'hint', projectId: 'shop', summary: 'Ask Ann about taxes' })
    await engine.delete(other.id, ALL)
    await engine.personality.set({ agentName: 'nori', displayName: 'Nori', persona: 'Green.' })
    await engine.directory.set({ projectId: 'shop', teamId: 'red' })
    const lines = await Array.fromAsync(engine.export(ALL))

    const reference = await openPlain({ storage: referenceStorage(), now: time.now })
    const first = await reference.import(linesOf(lines), { keepTrust: true })
    expect(first).toMatchObject({ existing: 0, bad: [], added: { memories: 2, personalities: 1, directory: 1 } })
    // Imported again into the same store: nothing is new.
    const again = await engine.import(linesOf(await Array.fromAsync(reference.export(ALL))), { keepTrust: true })
    expect(again).toMatchObject({ existing: 2, differing: [], bad: [] })
    expect(Object.values(again.added).every((count) => count === 0)).toBe(true)
    for (const from of [engine, reference]) {
      expect((await from.list(ALL)).totalCount).toBe(2)
      expect(await from.get(memory.id, ALL)).toMatchObject({ importance: 9, recallCount: 1, tags: ['日'] })
      expect((await from.history(memory.id, ALL)).changes.map(({ version }) => version)).toEqual([1, 2])
      expect((await from.history(other.id, ALL)).changes.map(({ operation }) => operation)).toEqual([
        'create',
        'delete',
      ])
      expect((await from.injections({ ...ALL, session: 'run-1' })).injections).toHaveLength(1)
      expect((await from.events(ALL)).events).toHaveLength(1)
      expect((await from.sessions(ALL)).sessions.map(({ id }) => id)).toContain('run-1')
      expect(
        (await from.search({ identifiers: SHOP, query: 'ガード ночью', threshold: 0 })).results[0]?.memory.id,
      ).toBe(memory.id)
    }
    expect((await Array.fromAsync(engine.export({ identifiers: { projectId: 'nobody' } }))).join()).not.toContain(
      'Disk',
    )
  })

  it('an import into an empty store of this kind brings the same back', async (store) => {
    const source = await openPlain({ storage: referenceStorage() })
    const { memories } = await source.bulkAdd(
      Array.from({ length: 30 }, (_, i) => sample({ content: `Fact number ${i}` })),
    )
    await source.update(memories[3]!.id, { content: 'Changed fact' }, ALL)
    await source.delete(memories[4]!.id, ALL)
    await source.beginSession({ id: 'run-1', agent: 'nori', project: 'shop' })
    await source.context({ identifiers: SHOP, session: 'run-1' })
    await source.record({ type: 'hint', projectId: 'shop', summary: 'Ask Ann about taxes' })
    await source.personality.set({ agentName: 'nori', displayName: 'Nori', persona: 'Green.' })
    await source.directory.set({ projectId: 'shop', teamId: 'red' })
    const { secret, token } = await source.tokens.create({ name: 'ci', scope: 'write', identifiers: SHOP })
    const gone = await source.tokens.create({ name: 'old', scope: 'read' })
    await source.tokens.revoke('old')
    const lines = await Array.fromAsync(source.export({ ...ALL, tokens: true }))
    expect(lines.join()).not.toContain(secret)
    expect((await Array.fromAsync(source.export(ALL))).join()).not.toContain('"hash"')
    const [engine, other] = [await store.engine(), await store.engine()]
    expect(await engine.import(linesOf(lines), { keepTrust: true })).toMatchObject({
      added: { memories: 30, changes: 33, sessions: 1, events: 8, directory: 1, personalities: 1, tokens: 2 },
      bad: [],
    })
    expect(await other.tokens.verify(secret)).toMatchObject({ id: token.id, identifiers: SHOP })
    expect(await other.tokens.verify(gone.secret)).toBeNull()
    // A backup of the restored store holds the backup.
    const sorted = (exported: readonly string[]) => exported.slice(1).map(inOrder).sort()
    const [before, after] = [lines, await Array.fromAsync(other.export({ ...ALL, tokens: true }))].map(sorted)
    expect(after!.filter((line) => before!.includes(line))).toEqual(before)
    // The audit log goes on.
    const later = after!.filter((line) => !before!.includes(line)).map((line) => JSON.parse(line).event.data.act)
    expect(later.sort()).toEqual(['export', 'import'])
    expect((await other.list({ ...ALL, limit: 100 })).memories).toEqual(
      (await source.list({ ...ALL, limit: 100 })).memories,
    )
    expect(await other.history(memories[3]!.id, ALL)).toEqual(await source.history(memories[3]!.id, ALL))
    expect((await other.search({ identifiers: SHOP, query: 'changed fact' })).results[0]?.memory.id).toBe(
      memories[3]!.id,
    )
  })

  it('the context of a project is the same text from every handle, and records what it showed', async (store) => {
    const { now } = clock()
    const [engine, other] = [await store.engine({ now }), await store.engine({ now })]
    await engine.bulkAdd(
      Array.from({ length: 15 }, (_, i) =>
        sample({
          content: `Service ${i} 再起動は${i}分`,
          category: 'timing',
          service: `svc${i % 3}`,
          confidence: 0.5 + i / 40,
        }),
      ),
    )
    await engine.add(sample({ content: 'Of another project', identifiers: { projectId: 'lab' } }))
    for (const format of ['operational', 'workflow'] as const) {
      const [first, second] = [
        await engine.context({ identifiers: SHOP, format }),
        await other.context({ identifiers: SHOP, format }),
      ]
      expect(second).toEqual(first)
      expect(first.text).not.toContain('another project')
    }
    const shown = await other.context({ identifiers: SHOP, session: 'run-1' })
    expect(shown.included.length).toBeGreaterThan(5)
    const { injections } = await engine.injections({ identifiers: SHOP, session: 'run-1', limit: 100 })
    expect(injections.map(({ memory }) => memory)).toEqual(shown.included.map(({ id }) => id))
  })
})

/** Without the vector, which some stores keep less precisely. Stores may return fields in another order. */
function inOrder(line: string): string {
  const { embedding: _, ...record } = JSON.parse(line)
  return JSON.stringify(record, (__, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
