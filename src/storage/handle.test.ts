import { expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import { newRow } from '../engine/write.ts'
import { MemoryError } from '../model/errors.ts'
import type { Capabilities } from './capabilities.ts'
import type { Commit, Write } from './commit.ts'
import { refuseOversized, withoutRetry } from './handle.ts'

const CAPABILITIES = { maxWrites: 2, maxBytes: 20 } as Capabilities
const insert = (content: string, kind: 'insert' | 'update' = 'insert') =>
  ({ kind, row: newRow(makeMemory({ content, metadata: {} }), null) }) as unknown as Write
const other = { kind: 'session', session: { role: 'x'.repeat(99) } } as unknown as Write
const commit =
  (...writes: Write[]) =>
  () =>
    refuseOversized({ writes } as unknown as Commit, CAPABILITIES)

it('a commit has at most so many writes and bytes; one write alone may be as large as it is', () => {
  const error = expect.objectContaining({ code: 'UNSUPPORTED', details: { maxWrites: 2, maxBytes: 20 } })
  // Empty metadata is two bytes.
  expect(commit(insert('x'.repeat(8)), insert('x'.repeat(8)))).not.toThrow()
  expect(commit(insert('x'.repeat(8)), insert('x'.repeat(9), 'update'))).toThrow(error)
  expect(commit(insert('x'.repeat(99)))).not.toThrow()
  expect(commit(other, other)).not.toThrow()
  expect(commit(other, other, other)).toThrow(error)
})

it('an error that is not to be tried again stays what it was', () => {
  const cause = new Error('below')
  const error = new MemoryError('PROVIDER_ERROR', 'Away.', { retryable: true, details: { host: 'h' }, cause })
  expect(withoutRetry(error)).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: 'Away.',
    retryable: false,
    details: { host: 'h' },
    cause,
  })
})
