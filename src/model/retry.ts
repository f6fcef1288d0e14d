import { MemoryError } from './errors.ts'

export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number
  baseMs: number
  factor: number
  maxMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { retries: 3, baseMs: 100, factor: 2, maxMs: 10_000 }

/** If a server asks for a longer wait than this, its error is returned instead. */
const LONGEST_WAIT_MS = 60_000

/** The delay before a given retry (0 is the first): the server's value, else exponential with jitter. */
export function retryDelay(policy: RetryPolicy, retry: number, error: MemoryError, random: () => number): number {
  const asked = error.details.retryAfterMs
  if (typeof asked === 'number') return asked
  const full = Math.min(policy.maxMs, policy.baseMs * policy.factor ** retry)
  return full / 2 + (full / 2) * random()
}

/** The only place that retries, and only errors marked as retryable. */
export async function withRetry<T>(
  policy: RetryPolicy,
  work: () => Promise<T>,
  onRetry: (error: MemoryError, delayMs: number) => void = () => {},
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await work()
    } catch (error) {
      if (!MemoryError.is(error) || !error.retryable || retry >= policy.retries) throw error
      const delay = retryDelay(policy, retry, error, Math.random)
      if (delay > LONGEST_WAIT_MS) throw error
      onRetry(error, delay)
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }
}
