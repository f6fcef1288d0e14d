import { expect, it } from 'vitest'
import { MemoryError } from '../model/errors.ts'
import { createBackoffs } from './backoffs.ts'

it('says who is waited for, each once, until it is tried again', () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const { noteFor, current } = createBackoffs(() => new Date(now))
  expect(current()).toEqual([])
  noteFor('store')(new MemoryError('PROVIDER_ERROR', 'busy'), 9000)
  noteFor('store')(new MemoryError('RATE_LIMITED', 'slow down'), 1000)
  noteFor('model')(new MemoryError('EMBEDDING_FAILED', 'away'), 2000)
  const store = { name: 'store', code: 'RATE_LIMITED', until: '2026-03-01T12:00:01.000Z' }
  const model = { name: 'model', code: 'EMBEDDING_FAILED', until: '2026-03-01T12:00:02.000Z' }
  expect(current()).toEqual([store, model])
  now += 999
  expect(current()).toEqual([store, model])
  now += 1
  expect(current()).toEqual([model])
  now += 5000
  expect(current()).toEqual([])
})
