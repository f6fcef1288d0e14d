import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { openMemory } from './open-memory.ts'

/** Everything sent over the wire: every call with its arguments and its result. */
function recorded(storage: Storage) {
  const calls: { method: string; answer: unknown }[] = []
  const proxy = new Proxy(storage, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...values: unknown[]) => {
        const answer: unknown = await value.apply(target, values)
        calls.push({ method: String(name), answer })
        return answer
      }
    },
  })
  return { proxy, calls }
}

async function open() {
  const { proxy, calls } = recorded(referenceStorage())
  const memory = await openMemory({ storage: proxy, embedding: hashingEmbedding() })
  return { memory, calls }
}

const NINE = {
  agentId: 'nori',
  userId: 'ann',
  sessionId: 's',
  taskId: 'T1',
  sectionId: 'S1',
  projectId: 'shop',
  teamId: 'web',
  orgId: 'retail',
  companyId: 'acme',
}

it('a search over nine layers is one call', async () => {
  const { memory, calls } = await open()
  await memory.add({ layer: 'company', identifiers: NINE, content: 'Deploys stop on Fridays' })
  calls.length = 0
  const { results, searchedLayers } = await memory.search({
    identifiers: NINE,
    query: 'deploys on fridays',
    threshold: 0,
  })
  expect(results).toHaveLength(1)
  expect(searchedLayers).toHaveLength(9)
  expect(calls.map(({ method }) => method)).toEqual(['search'])
})

it('a capture of 20 markers, half of them declared, is at most 10 calls', async () => {
  const { memory, calls } = await open()
  const shop = memory.as({ projectId: 'shop' })
  await shop.capture('[MEMORY:timing:web] Takes 60s to start', { format: 'text', session: 'run-1' })
  calls.length = 0
  const markers = Array.from({ length: 20 }, (_, i) =>
    i % 2 === 0
      ? `[MEMORY:behavior:web] Worker ${i} answers on port ${8000 + i}`
      : `[MEMORY:timing:web] Takes ${70 + i}s to start (was: Takes 60s to start)`,
  )
  const { outcomes } = await shop.capture(markers.join('\n'), { format: 'text', session: 'run-2' })
  expect(outcomes).toHaveLength(20)
  expect(calls.length).toBeLessThanOrEqual(10)
})

it('a session that starts in one project reads nothing of another', async () => {
  let day = 0
  const now = () => new Date(Date.parse('2026-01-01T00:00:00.000Z') + day * 86_400_000)
  const { proxy, calls } = recorded(referenceStorage())
  const memory = await openMemory({ storage: proxy, embedding: hashingEmbedding(), now })
  for (const projectId of ['shop', 'blog']) {
    for (let i = 0; i < 5; i++) {
      await memory.add({
        layer: 'project',
        identifiers: { projectId },
        content: `${projectId} fact ${i}`,
        category: 'timing',
        tier: 1,
        confidence: 0.9,
        exact: true,
      })
    }
  }
  day = 44
  calls.length = 0
  const shop = memory.as({ projectId: 'shop' })
  const { memories } = await shop.context({ session: 'run-1' })
  expect(memories.map(({ confidence }) => confidence)).toEqual([0.7, 0.7, 0.7, 0.7, 0.7])
  expect(JSON.stringify(calls)).toContain('shop fact')
  expect(JSON.stringify(calls)).not.toContain('blog fact')
  // The decay that every reader computes is stored here, and only here.
  const { changes } = await memory.history(memories[0]!.id, { everything: true })
  expect(changes.map(({ by }) => by)).toEqual(['library', 'decay'])
  const others = await memory.list({ identifiers: { projectId: 'blog' } })
  expect(others.memories.map(({ confidence, version }) => [confidence, version])).toEqual(Array(5).fill([0.7, 1]))
})
