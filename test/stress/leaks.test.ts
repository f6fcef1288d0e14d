import { expect, it } from 'vitest'
import { openServer } from '../http/open-server.ts'
import { leakFuzz } from './leak-fuzz.ts'

it('two thousand reads of every kind tell no caller of what is held, deleted or of another scope', async () => {
  const { memory } = await openServer()
  const { reads, answered, leaks } = await leakFuzz(memory, { reads: 2000, seed: 24 })
  expect(leaks).toEqual([])
  expect(reads).toBe(2000)
  // Most reads succeed, because refusals prove nothing about leaks.
  expect(answered).toBeGreaterThan(700)
})
