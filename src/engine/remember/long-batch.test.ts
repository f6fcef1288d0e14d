import { expect, it } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import type { Commit } from '../../storage/commit.ts'
import { referenceStorage } from '../../storage/reference/reference-storage.ts'
import { interceptStorage } from '../../testing/intercept-storage.ts'
import { openMemory } from '../open-memory.ts'

const SHOP = { projectId: 'shop' }
const STEPS = ['Caddy', 'Redis', 'Kafka', 'Vault', 'Consul', 'Nginx', 'Squid', 'Bind']
/** Similar enough that each could correct the others. */
const similar = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    content: `The ${STEPS[i % 8]} restart needs ${i + 2} seconds and a drained ${STEPS[(i >> 3) % 8]} queue before noon`,
    category: 'timing' as const,
    service: 'web',
  }))

function engine() {
  let asked = 0
  const relations = {
    name: 'contradicts',
    ask: async (pairs: readonly unknown[]) => {
      asked += pairs.length
      return pairs.map(() => ({ same: 0, contradicts: 1, other: 0 }))
    },
    warm: async () => {},
    close: async () => {},
  }
  const commits: number[] = []
  const storage = interceptStorage(referenceStorage(), {
    before: (method, [given]) => {
      if (method === 'commit') commits.push((given as Commit).writes.filter(({ kind }) => kind === 'insert').length)
    },
  })
  return openMemory({ storage, embedding: hashingEmbedding(), relations }).then((memory) => ({
    shop: memory.as(SHOP),
    asked: () => asked,
    commits,
  }))
}

it('each candidate is compared with the ten nearest of its batch at most', async () => {
  const { shop, asked } = await engine()
  await shop.remember(similar(60), { session: 'run-1' })
  expect(asked()).toBeGreaterThan(100)
  expect(asked()).toBeLessThanOrEqual(600)
})

it('the items of a long list are stored in parts, compared with none of each other, and correct none of each other', async () => {
  const { shop, asked, commits } = await engine()
  const outcomes = await shop.remember(similar(130), { session: 'import', source: 'manual' })
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 130 }, () => 'insert'))
  expect(asked()).toBe(0)
  expect(commits).toEqual([100, 30])
})
