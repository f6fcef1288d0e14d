import { expect, it } from 'vitest'
import { RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { TopK } from './top-k.ts'

it('keeps what a full sort would put first, equal scores by key', () => {
  const random = new RandomVectors(1, 3)
  for (const limit of [1, 2, 7, 40, 500]) {
    const matches = Array.from({ length: 400 }, (_, i) => ({
      key: ((i * 7919) % 400) + 1,
      score: Math.floor(random.number() * 30) / 30,
    }))
    const best = new TopK(limit)
    for (const { key, score } of matches) best.offer(key, score)
    const sorted = matches.toSorted((a, b) => b.score - a.score || a.key - b.key)
    expect(best.sorted()).toEqual(sorted.slice(0, limit))
  }
})

it('has no threshold until it is full, then the score of its worst match', () => {
  const best = new TopK(2)
  best.offer(1, 0.5)
  expect(best.threshold).toBe(-Infinity)
  best.offer(2, 0.7)
  expect(best.threshold).toBe(0.5)
  best.offer(3, 0.6)
  expect(best.threshold).toBe(0.6)
})
