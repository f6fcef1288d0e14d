import { expect, it } from 'vitest'
import { addUp, best, leastOf, type MarkedRow } from './postings.ts'

/** Deterministic numbers below `end`. */
function numbers(count: number, end: number, seed: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(((((i + 1) * seed * 7919) % 10_007) / 10_007) * end))
}

it('adds up what each row holds, whatever the lists have in common', () => {
  const lists = [50, 3, 20, 1].map((count, i) => ({
    rows: [...new Set(numbers(count, 60, i + 3))].sort((a, b) => a - b),
    weight: 2 ** i,
  }))
  const expected = new Map<number, number>()
  for (const { rows, weight } of lists) for (const id of rows) expected.set(id, (expected.get(id) ?? 0) + weight)
  const { ids, weights } = addUp(lists)
  expect(ids).toEqual([...expected.keys()].sort((a, b) => a - b))
  expect(weights).toEqual(ids.map((id) => expected.get(id)))
})

it('the best are the same where only they are added up', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const lists = [2, 5, 9, 30, 90, 400].map((count, i) => ({
      rows: [...new Set(numbers(count, 500, seed * 6 + i))].sort((a, b) => a - b),
      weight: Math.log(1 + 500 / count),
    }))
    const all = addUp(lists)
    for (const count of [1, 10, 40, 500]) {
      const few = addUp(lists, count)
      const least = leastOf(all.weights, count)
      const heaviest = ({ ids, weights }: typeof all) =>
        ids.flatMap((id, i) => (weights[i]! >= least ? [[id, weights[i]]] : []))
      expect(heaviest(few)).toEqual(heaviest(all))
      expect(few.whole).toBe(few.ids.length === all.ids.length)
    }
  }
  const rare = { rows: [1, 2, 3], weight: 5 }
  const common = { rows: [2, 4, 5, 6], weight: 1 }
  expect(addUp([rare, common], 2)).toEqual({ ids: [1, 2, 3], weights: [5, 6, 5], whole: false })
})

it('the least weight is that of the last row counted', () => {
  expect(leastOf([5, 1, 4, 4, 2], 3)).toBe(4)
  expect(leastOf([5, 1, 4], 3)).toBe(Number.NEGATIVE_INFINITY)
})

it('the best are the heaviest, then the newest, then the greatest id', () => {
  const weights = numbers(200, 4, 5)
  const days = numbers(200, 9, 11)
  const rows = weights.map((weight, id): MarkedRow => {
    const mark = {
      createdAt: `2026-01-0${days[id]! + 1}`,
      ulid: String((id * 37) % 200).padStart(3, '0'),
      visibleUntil: '',
    }
    return { id, weight, mark }
  })
  const order = ({ weight, mark }: MarkedRow) => `${weight} ${mark.createdAt} ${mark.ulid}`
  const expected = rows.toSorted((a, b) => (order(a) < order(b) ? 1 : -1)).map(({ id }) => id)
  for (const limit of [1, 40, 200, 300]) expect(best(rows, limit)).toEqual(expected.slice(0, limit))
})
