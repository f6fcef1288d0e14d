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
