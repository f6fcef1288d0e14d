import { ERROR_CODES, MemoryError } from '../model/errors.ts'

/** Invalid, not found, too long. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413])

/** Whether a call is at fault itself, so that the store will refuse it every time. */
export function isRefusal(error: unknown): boolean {
  return MemoryError.is(error) && REFUSALS.has(ERROR_CODES[error.code].status)
}
