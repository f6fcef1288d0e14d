import { z } from 'zod'
import { ERROR_CODES, type ErrorCode, MemoryError } from '../../model/errors.ts'
import { HttpError } from '../errors.ts'
import { expectedVersion } from '../request.ts'
import type { RequestContext } from '../route.ts'

export const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
    retryable: z.boolean(),
  }),
})

export function notThere(what: string, details: Record<string, unknown>): MemoryError {
  return new MemoryError('MEMORY_NOT_FOUND', `There is no ${what}.`, { details })
}

export function projectNeeded(): MemoryError {
  return new MemoryError('MISSING_IDENTIFIER', 'Say in which project: give projectId.', {
    details: { identifier: 'projectId' },
  })
}

/** A stale version is 412 if the request sent `If-Match`, otherwise 409. */
export async function withPrecondition<T>(
  context: RequestContext,
  work: (expected: { version?: number }) => Promise<T>,
): Promise<T> {
  const expected = expectedVersion(context)
  try {
    return await work(expected)
  } catch (error) {
    if (expected.version === undefined || !MemoryError.is(error) || error.code !== 'CONFLICT') throw error
    throw new HttpError(412, error.message, error.details)
  }
}
