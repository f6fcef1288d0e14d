import { HttpError } from './errors.ts'

export interface RateLimit {
  perSecond: number
  burst: number
}

/** Far more than a fleet of agents needs; it stops a runaway loop. */
export const DEFAULT_RATE: RateLimit = { perSecond: 200, burst: 2000 }

interface Bucket {
  left: number
  at: number
}

/** Bytes of a body that count as one more request: this limits a caller's work, however it is divided. */
const BYTES_A_REQUEST = 32 * 1024

export type CountRequest = (caller: string, bytes: number) => void

/** Counts a caller's request by its size, or refuses it. A caller gets `burst` at once, and `perSecond` over time. */
export function rateLimiter({ perSecond, burst }: RateLimit, now: () => number = Date.now): CountRequest {
  const buckets = new Map<string, Bucket>()
  return (caller, bytes) => {
    const cost = Math.min(burst, 1 + Math.floor(bytes / BYTES_A_REQUEST))
    const time = now()
    const bucket = buckets.get(caller) ?? { left: burst, at: time }
    bucket.left = Math.min(burst, bucket.left + ((time - bucket.at) / 1000) * perSecond)
    bucket.at = time
    buckets.set(caller, bucket)
    if (bucket.left < cost) {
      const seconds = Math.max(1, Math.ceil((cost - bucket.left) / perSecond))
      const message = `Too many requests. Retry in ${seconds} s.`
      throw new HttpError(429, message, { retryAfterMs: seconds * 1000 }, { 'retry-after': String(seconds) })
    }
    bucket.left -= cost
  }
}
