import { MemoryError } from '../../model/errors.ts'

const CORRUPT = 11
/** Another connection holds a lock. */
const BUSY = [5, 6]
const READ_ONLY = 8

/** SQLite's primary result codes that a user can act on. */
const MEANINGS: Record<number, (path: string) => string> = {
  5: (path) => `The database ${path} is busy: another process holds its lock.`,
  6: (path) => `The database ${path} is locked by another statement.`,
  [READ_ONLY]: (path) =>
    `The database ${path} is read-only. Make the file and its folder writable, or choose another store with --db or NOKOSU_DB.`,
  10: (path) => `Reading or writing ${path} failed. Check the disk.`,
  [CORRUPT]: (path) => `The database ${path} is damaged. Restore a backup, or an export with 'nokosu import'.`,
  13: (path) => `The disk is full: nothing was written to ${path}. Free some space and try again.`,
  14: (path) => `Cannot open ${path}. Check that the folder exists and may be written.`,
  26: (path) => `${path} is not a SQLite database. Choose another file with --db or NOKOSU_DB.`,
}

const IO_ERRORS: Record<string, string> = {
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  EROFS: 'The file system is read-only',
  ENOSPC: 'The disk is full',
  ENOTDIR: 'A part of the path is not a folder',
  EEXIST: 'A part of the path is not a folder',
}

/** Whether it failed only because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(codeOf(error))
}

/** Whether this process lacks write permission for the file or its folder. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

function codeOf(error: unknown): number {
  return MemoryError.is(error) && typeof error.details.sqlite === 'number' ? error.details.sqlite & 0xff : 0
}

/** Translates SQLite and file system errors into Nokosu's own. */
export function translateError(error: unknown, path: string): Error {
  if (MemoryError.is(error)) return error
  const { errcode, code } = error as { errcode?: number; code?: string }
  const failure = (message: string) =>
    new MemoryError('PROVIDER_ERROR', message, { retryable: false, details: { path }, cause: error })
  if (typeof errcode === 'number') {
    const message = MEANINGS[errcode & 0xff]?.(path) ?? `SQLite failed: ${(error as Error).message}.`
    const retryable = BUSY.includes(errcode & 0xff)
    return new MemoryError('PROVIDER_ERROR', message, { retryable, details: { path, sqlite: errcode }, cause: error })
  }
  if (code !== undefined && code in IO_ERRORS) return failure(`${IO_ERRORS[code]}: ${path}.`)
  // SQLite returned a value that Nokosu never wrote: JSON, a vector, a time.
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return failure(MEANINGS[CORRUPT]!(path))
  }
  return error instanceof Error ? error : new Error(String(error))
}
