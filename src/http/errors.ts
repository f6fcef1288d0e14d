import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ERROR_CODES, MemoryError, type MemoryErrorOptions } from '../model/errors.ts'
import type { RequestContext } from './route.ts'

/** A failure that HTTP knows by a status of its own, such as 405 or 412. The code stays one of the table. */
export class HttpError extends MemoryError {
  readonly status: ContentfulStatusCode
  readonly headers: Record<string, string>

  constructor(
    status: ContentfulStatusCode,
    code: MemoryError['code'],
    message: string,
    { headers = {}, ...options }: MemoryErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    super(code, message, options)
    this.status = status
    this.headers = headers
  }
}

/** The one shape of every failure: `{error: {code, message, details, retryable}}`. */
export function answerError(context: RequestContext, error: MemoryError): Response {
  const headers = error instanceof HttpError ? error.headers : {}
  return context.json({ error: withoutPath(error.toJSON()) }, statusOf(context, error), headers)
}

/** Where the store is kept is for the log of the server, not for whoever calls it. */
function withoutPath({ message, details, ...rest }: ReturnType<MemoryError['toJSON']>) {
  const { path, ...facts } = details
  if (typeof path !== 'string') return { ...rest, message, details }
  return { ...rest, message: message.replaceAll(path, '(the store)'), details: facts }
}

function statusOf(context: RequestContext, error: MemoryError): ContentfulStatusCode {
  if (error instanceof HttpError) return error.status
  // Whoever is known may not do this; whoever is not known has to say who it is.
  if (error.code === 'UNAUTHORIZED' && context.get('access')) return 403
  return ERROR_CODES[error.code].status
}
