import { expect, it } from 'vitest'
import { MemoryError } from '../../model/errors.ts'
import { isBusy, isReadOnly, translateError } from './translate-error.ts'

const ofSqlite = (errcode: number) => translateError(Object.assign(new Error('no'), { errcode }), '/a/m.db')

it.each([
  [5, 'busy', true],
  [6, 'locked', true],
  // With the extended bits of SQLite.
  [5 | (2 << 8), 'busy', true],
  [8, 'read-only', false],
  [10, 'Check the disk', false],
  [11, 'damaged', false],
  [13, 'full', false],
  [14, 'Cannot open', false],
  [26, 'not a SQLite database', false],
  [1, 'SQLite failed: no', false],
])('SQLite’s %i says %s', (code, words, retryable) => {
  const error = ofSqlite(code)
  const expected = { code: 'PROVIDER_ERROR', retryable, details: { path: '/a/m.db', sqlite: code } }
  expect(error).toMatchObject({ ...expected, message: expect.stringContaining(words) })
  expect(isBusy(error)).toBe(retryable)
  expect(isReadOnly(error)).toBe(code === 8)
})

it.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST'])(
  'the file system’s %s is told with the path',
  (code) => {
    const cause = Object.assign(new Error('no'), { code })
    const error = translateError(cause, '/a/m.db')
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false, details: { path: '/a/m.db' }, cause })
    expect(error.message).toMatch(/^[A-Z][a-z -]+: \/a\/m\.db\.$/)
    expect(isBusy(error) || isReadOnly(error)).toBe(false)
  },
)

it('values that nothing here wrote are damage; what is known is passed on, and the rest as it is', () => {
  for (const cause of [new SyntaxError('JSON'), new RangeError('Invalid time')]) {
    expect(translateError(cause, 'm.db')).toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('damaged'),
      cause,
    })
  }
  const known = new MemoryError('CONFLICT', 'x')
  const other = Object.assign(new Error('other'), { code: 'ENOENT' })
  for (const error of [known, other]) expect(translateError(error, 'm.db')).toBe(error)
  expect(translateError('text', 'm.db')).toEqual(new Error('text'))
  expect(isBusy(other) || isReadOnly(other) || isBusy(known)).toBe(false)
})
