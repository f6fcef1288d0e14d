import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { KeepDays } from '../model/records.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

it('of sweeps at the same time each says what it did itself', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const memory = await openMemory({
    storage: 'memory:',
    embedding: hashingEmbedding(),
    relations: null,
    now: () => new Date(now),
  })
  onTestFinished(() => memory.shutdown())
  const identifiers = { projectId: 'shop' }
  const expiresAt = '2026-03-01T13:00:00.000Z'
  for (let i = 0; i < 30; i++) {
    await memory.add({ content: `Ticket ${i} is open`, layer: 'project', identifiers, expiresAt })
  }
  now += 2 * 3_600_000
  const reports = await Promise.all([memory.sweep(), memory.sweep(), memory.sweep()])
  expect(reports.reduce((sum, { expired }) => sum + expired, 0)).toBe(30)
  expect((await memory.list({ everything: true, includeInactive: true })).totalCount).toBe(0)
})

it('retires what is beyond the caps of a scope, oldest first, and only when it is not asked what it would do', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const memory = await openMemory({
    storage: 'memory:',
    embedding: hashingEmbedding(),
    relations: null,
    memory: { taskRetention: 2 },
    now: () => new Date(now),
  })
  onTestFinished(() => memory.shutdown())
  const rejections = (taskId: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      layer: 'task' as const,
      category: 'rejection' as const,
      identifiers: { projectId: 'shop', taskId },
      content: `Try ${i} of ${taskId} was turned down`,
    }))
  // One task over its cap, one under it.
  for (const each of rejections('T1', 6)) {
    now += 1000
    await memory.bulkAdd([each], { exact: true })
  }
  await memory.bulkAdd(rejections('T2', 2), { exact: true })
  const active = async () => (await memory.list({ everything: true })).memories.map(({ content }) => content).toSorted()
  const before = await active()
  expect(await memory.sweep({ dryRun: true })).toMatchObject({ retired: 4 })
  expect(await active()).toEqual(before)
  expect(await memory.sweep()).toMatchObject({ retired: 4 })
  const kept = ['Try 0 of T2', 'Try 1 of T2', 'Try 4 of T1', 'Try 5 of T1'].map((text) => `${text} was turned down`)
  expect(await active()).toEqual(kept)
  expect((await memory.list({ everything: true, onlyInactive: true })).memories.map(({ version }) => version)).toEqual([
    2, 2, 2, 2,
  ])
  expect(await memory.sweep()).toMatchObject({ retired: 0 })
})

const START = Date.parse('2026-03-01T12:00:00.000Z')
const DAY = 86_400_000

/** A store with a test clock and three kinds of memories. */
async function aging(decay: Partial<Record<'learning' | 'timing', number | false>> = {}) {
  let days = 0
  const storage = referenceStorage()
  const open = (more: typeof decay) =>
    openMemory({
      storage,
      embedding: hashingEmbedding(),
      relations: null,
      memory: { decay: more },
      now: () => new Date(START + days * DAY),
    })
  const memory = await open(decay)
  onTestFinished(() => memory.shutdown())
  const own = memory.as({ projectId: 'shop', agentId: 'nori' })
  const said = async (content: string, category: 'timing' | 'learning') =>
    (await own.remember({ content, category }, { layer: 'project', session: 's1' }))[0]
  await said('Takes 60s', 'timing')
  await said('Staging is wiped every night', 'learning')
  await memory.add({
    content: 'Deploys need a ticket',
    category: 'dependency',
    layer: 'project',
    identifiers: { projectId: 'shop' },
  })
  const shown = async (of = memory) => (await of.list({ everything: true })).memories.map(({ content }) => content)
  return {
    memory,
    open,
    shown,
    at: (day: number) => {
      days = day
    },
  }
}

it('learnings and an operator’s word outlive what agents observe', async () => {
  const { memory, shown, at } = await aging()
  at(66)
  expect(await shown()).toEqual(['Deploys need a ticket', 'Staging is wiped every night'])
  expect(await memory.sweep()).toMatchObject({ decayed: 1, deactivated: 1 })
  at(300)
  expect(await memory.sweep()).toMatchObject({ decayed: 0, returned: 0 })
  expect(await shown()).toHaveLength(2)
})

it('memory.decay sets the days of a category, or that it lasts, and a sweep brings back what lasts now', async () => {
  const { shown, at, open } = await aging({ learning: 7 })
  at(60)
  expect(await shown()).toEqual(['Deploys need a ticket', 'Takes 60s'])
  at(70)
  const lasting = await open({ timing: false })
  expect(await lasting.sweep()).toMatchObject({ returned: 2 })
  expect(await shown(lasting)).toHaveLength(3)
  await expect(open({ timing: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

it('what an earlier sweep made inactive for its age comes back as it was, what an operator withdrew since does not', async () => {
  const { memory, shown, at, open } = await aging()
  at(70)
  expect(await memory.sweep()).toMatchObject({ deactivated: 1 })
  const lasting = await open({ timing: false })
  expect(await lasting.sweep({ dryRun: true })).toMatchObject({ returned: 1 })
  expect(await lasting.sweep()).toMatchObject({ returned: 1 })
  expect(await shown(lasting)).toHaveLength(3)
  const { memories } = await lasting.list({ everything: true, category: 'timing' })
  expect(memories).toMatchObject([{ confidence: 0.7, decayedWeeks: 0, active: true }])
  expect(await memory.sweep()).toMatchObject({ deactivated: 1 })
  await memory.retract(memories[0]!.id, { why: 'wrong', everything: true })
  expect(await lasting.sweep()).toMatchObject({ returned: 0 })
})

it('a clock that is years ahead makes nothing inactive: the sweep stops and says so, unless told to go on', async () => {
  const { memory, shown, at } = await aging()
  at(73 * 365)
  await expect(memory.sweep()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('1 of 1') })
  // A session that opens sees what has faded and stores nothing.
  await memory.beginSession({ id: 's9', project: 'shop' })
  await memory.as({ projectId: 'shop' }).context({ session: 's10' })
  at(1)
  expect(await shown()).toHaveLength(3)
  at(73 * 365)
  expect(await memory.sweep({ anyway: true })).toMatchObject({ deactivated: 1 })
})

it('a session that begins writes down what age took in its scopes, as a context that is shown does', async () => {
  const { memory, at } = await aging()
  at(45)
  await memory.beginSession({ id: 's2', project: 'shop', agent: 'nori' })
  const { memories } = await memory.list({ everything: true, category: 'timing' })
  expect((await memory.history(memories[0]!.id, { everything: true })).changes).toMatchObject([
    { operation: 'create' },
    { by: 'decay', after: { confidence: 0.5, decayedWeeks: 2 } },
  ])
})

it('removes sessions, events and showings older than keepDays, and by default keeps them', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const data = referenceData()
  const opened = async (keepDays?: KeepDays) => {
    const memory = await openMemory({
      storage: referenceStorage({ shared: data }),
      embedding: hashingEmbedding(),
      relations: null,
      ...(keepDays ? { memory: { keepDays } } : {}),
      now: () => new Date(now),
    })
    onTestFinished(() => memory.shutdown())
    return memory
  }
  const memory = await opened()
  const own = memory.as({ projectId: 'shop' })
  const { memory: kept } = await own.add('Deploys take four minutes')
  for (const day of [0, 10, 20]) {
    now = Date.parse('2026-03-01T12:00:00.000Z') + day * 86_400_000
    const id = `run-${day}`
    await own.beginSession({ id, project: 'shop' })
    await own.recordShowing({ session: id, format: 'file', entries: [{ memory: kept.id, position: 0, tokens: 5 }] })
  }
  expect(await memory.sweep()).toMatchObject({ sessions: 0, events: 0, showings: 0 })
  const strict = await opened({ sessions: 15, showings: 10, events: false })
  expect(await strict.sweep({ dryRun: true })).toMatchObject({ sessions: 1, showings: 1 })
  expect(await strict.sweep()).toMatchObject({ sessions: 1, showings: 1 })
  expect((await memory.sessions({ everything: true })).sessions.map(({ id }) => id)).toEqual(['run-20', 'run-10'])
  // The memory and its count stay.
  expect((await own.get(kept.id))?.recallCount).toBe(3)
  await expect(opened({ sessions: 0 })).rejects.toThrow(/needs days of 1 or more, or false/)
})
