import { expect, it } from 'vitest'
import { RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { KeyTable } from './key-table.ts'

it('agrees with a Map through growth, removal and reuse, for small and large keys', () => {
  const random = new RandomVectors(1, 7)
  const keys: number[] = []
  const table = new KeyTable((slot) => keys[slot]!)
  const model = new Map<number, number>()
  for (let step = 0; step < 30_000; step++) {
    const small = 1 + Math.floor(random.number() * 4000)
    const key = step % 2 === 0 ? small : small * 2 ** 33
    const slot = model.get(key)
    expect(table.get(key)).toBe(slot ?? -1)
    if (slot === undefined) {
      model.set(key, keys.length)
      keys.push(key)
      table.add(keys.length - 1)
    } else if (random.number() < 0.6) {
      model.delete(key)
      table.delete(key)
    }
  }
  expect(table.count).toBe(model.size)
  for (const [key, slot] of model) expect(table.get(key)).toBe(slot)
})

it('ignores the removal of a key that it does not have', () => {
  const table = new KeyTable((slot) => slot + 1)
  table.add(0)
  table.delete(2)
  expect([table.count, table.get(1), table.get(2)]).toEqual([1, 0, -1])
})
