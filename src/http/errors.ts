import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ERROR_CODES, type ErrorCode, MemoryError } from '../model/errors.ts'
import type { RequestContext } from './route.ts'

/** Errors with an HTTP status of their own, and their code in our table. */
const CODES = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHORIZED',
  403: 'UNAUTHORIZED',
  404: 'UNSUPPORTED',
  405: 'UNSUPPORTED',
  412: 'CONFLICT',
  413: 'CONTENT_TOO_LONG',
  415: 'INVALID_INPUT',
  429: 'RATE_LIMITED',
  500: 'PROVIDER_ERROR',
} satisfies Record<number, ErrorCode>

export class HttpError extends MemoryError {
  readonly status: keyof typeof CODES
  readonly headers: Record<string, string>

  constructor(
    status: keyof typeof CODES,
    message: string,
    details: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(CODES[status], message, status === 500 ? { details, retryable: false } : { details })
    this.status = status
    this.headers = headers
  }
}

/** The one format of every error: `{error: {code, message, details, retryable}}`. */
export function answerError(context: RequestContext, error: MemoryError): Response {
  const { retryAfterMs } = error.details
  const headers = {
    ...(typeof retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {}),
    ...(error instanceof HttpError ? error.headers : {}),
  }
  return context.json({ error: withoutPath(error.toJSON()) }, statusOf(context, error), headers)
}

/** The store's location is for the server's log, not for callers. */
function withoutPath({ message, details, ...rest }: ReturnType<MemoryError['toJSON']>) {
  const { path, ...facts } = details
  if (typeof path !== 'string') return { ...rest, message, details }
  return { ...rest, message: message.replaceAll(path, '(the store)'), details: facts }
}

function statusOf(context: RequestContext, error: MemoryError): ContentfulStatusCode {
  if (error instanceof HttpError) return error.status
  // A known caller may not do this; an unknown one must authenticate.
  if (error.code === 'UNAUTHORIZED' && context.get('access')) return 403
  return ERROR_CODES[error.code].status
}
