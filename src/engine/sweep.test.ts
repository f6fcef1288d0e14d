import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
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
  // One task beyond its cap, and one within.
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
