import { MemoryError } from '../../model/errors.ts'
import { withoutRetry } from '../handle.ts'

const THROTTLED = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])
const REFUSED = new Set([
  'AccessDeniedException',
  'UnrecognizedClientException',
  'ExpiredTokenException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'CredentialsProviderError',
])
const VECTORS_BUSY = new Set(['TooManyRequestsException', 'ServiceUnavailableException'])
/** The first is caused by another writer, the second by creating many tables at once. */
const PASSING = new Set(['TransactionConflictException', 'LimitExceededException'])
/** Default delay after throttling, if the service names none. */
const THROTTLE_DELAY_MS = 500

interface AwsError extends Error {
  $response?: { headers?: Record<string, string> }
  $metadata?: { httpStatusCode?: number }
}

/** Translates DynamoDB and network errors into Nokosu's own. */
export function translateError(error: unknown): Error {
  if (MemoryError.is(error)) return error
  if (!(error instanceof Error)) return new Error(String(error))
  const { name, message, $response, $metadata } = error as AwsError
  const details = { dynamodb: name }
  if (THROTTLED.has(name)) return throttled(error, Number($response?.headers?.['retry-after']) * 1000)
  if (REFUSED.has(name)) {
    return new MemoryError('UNAUTHORIZED', `DynamoDB refused the credentials: ${message}`, { details, cause: error })
  }
  if (name === 'ResourceNotFoundException' || /does not have the specified index/.test(message)) {
    const text =
      'A table or an index of the DynamoDB store is missing. Make them: nokosu tables create; or check the prefix and the region.'
    return new MemoryError('CONFIGURATION_ERROR', text, { details, cause: error })
  }
  if (isTooLarge(message)) return tooLarge(error)
  if (/^Region is missing/.test(message)) {
    const text = 'A DynamoDB store needs a region: dynamodb://region, or AWS_REGION in the environment.'
    return new MemoryError('CONFIGURATION_ERROR', text, { details: { key: 'db' }, cause: error })
  }
  if (isSilent(error)) {
    const text = 'DynamoDB did not answer in time. Check the region or the endpoint in --db or NOKOSU_DB.'
    return new MemoryError('PROVIDER_ERROR', text, { retryable: true, details, cause: error })
  }
  const status = $metadata?.httpStatusCode
  const retryable = status === undefined || status >= 500 || PASSING.has(name)
  return new MemoryError('PROVIDER_ERROR', `DynamoDB failed: ${message || name}.`, { retryable, details, cause: error })
}

/** The same for the index of vectors. */
export function translateVectorError(error: unknown, bucket: string): Error {
  if (MemoryError.is(error)) return error
  const { name, message, $metadata } = error as AwsError
  const details = { s3vectors: name }
  const options = { details, cause: error }
  if (VECTORS_BUSY.has(name)) {
    const busy = { ...details, retryAfterMs: THROTTLE_DELAY_MS }
    return new MemoryError('RATE_LIMITED', 'S3 Vectors is throttling.', { details: busy, cause: error })
  }
  if (REFUSED.has(name)) return new MemoryError('UNAUTHORIZED', `S3 Vectors refused: ${message}`, options)
  if (name === 'NotFoundException') {
    const text = `S3 Vectors did not find the vector bucket '${bucket}', or an index in it: ${message}`
    return new MemoryError('CONFIGURATION_ERROR', text, options)
  }
  const status = $metadata?.httpStatusCode
  const retryable = status === undefined || status >= 500
  return new MemoryError('PROVIDER_ERROR', `S3 Vectors failed: ${message || name}.`, { ...options, retryable })
}

/** The SDK uses the same name for a cut connection, but that one has a network error code. */
function isSilent(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: string; code?: string }
  return name === 'TimeoutError' && (code === undefined || code === 'ETIMEDOUT')
}

export function giveUpOnSilence(error: unknown): never {
  throw MemoryError.is(error) && isSilent(error.cause) ? withoutRetry(error) : error
}

/** `delayMs` is NaN if the service named no delay. */
export function throttled(cause: unknown, delayMs: number = Number.NaN): MemoryError {
  const retryAfterMs = Number.isFinite(delayMs) ? delayMs : THROTTLE_DELAY_MS
  return new MemoryError('RATE_LIMITED', 'DynamoDB is throttling: the table or a partition is over its capacity.', {
    details: { retryAfterMs },
    cause,
  })
}

export function isTooLarge(message: string): boolean {
  return /item size|exceeded the maximum allowed size|maximum allowed size/i.test(message)
}

export function tooLarge(cause: unknown): MemoryError {
  const text = 'A record is too large for DynamoDB, which takes 400 KB an item: shorten the content or the metadata.'
  return new MemoryError('INVALID_INPUT', text, { details: { maxBytes: 400 * 1024 }, cause })
}
