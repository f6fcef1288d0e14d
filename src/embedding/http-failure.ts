const MAX_REASON = 200

/**
 * One short line about an error, from an exception or from an error response (`{error: {message}}`, `{error}`,
 * plain text). Secrets, such as the key and the texts that were sent, are removed.
 */
export function describeFailure(failure: unknown, secrets: readonly string[]): string {
  let reason = failure instanceof Error ? describeException(failure) : describeBody(String(failure))
  // Longest first, so that no part of a longer text remains.
  for (const secret of secrets.filter((text) => text !== '').sort((a, b) => b.length - a.length)) {
    reason = reason.replaceAll(secret, '[removed]')
  }
  reason = reason.replace(/[\s\p{C}]+/gu, ' ').trim()
  if (reason === '') return 'no reason given'
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}...` : reason
}

function describeException(error: Error): string {
  // Node's fetch says "fetch failed", and hides what happened (ECONNREFUSED, ...) in the cause.
  const cause = error.cause instanceof Error ? error.cause : error
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.code} ${cause.message}` : cause.message
}

function describeBody(body: string): string {
  try {
    const { error, message, detail }: { error?: unknown; message?: unknown; detail?: unknown } = JSON.parse(body)
    const inner = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
    const said = [inner, message, detail].find((value) => typeof value === 'string')
    return typeof said === 'string' ? said : body
  } catch {
    return body
  }
}

/** Milliseconds to wait, from a Retry-After in seconds or as an HTTP date; null without a valid one. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : null
}
