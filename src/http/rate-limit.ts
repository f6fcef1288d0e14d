import { HttpError } from './errors.ts'

export interface RateLimit {
  /** Requests a second, over time. */
  perSecond: number
  /** Requests at once. */
  burst: number
}

/** Much more than a fleet of agents asks; it stops a loop that has gone wild. */
export const DEFAULT_RATE: RateLimit = { perSecond: 200, burst: 2000 }

interface Bucket {
  left: number
  at: number
}

/** Counts a request of a caller, or refuses it. A caller gets `burst` at once, and `perSecond` over time. */
export function rateLimiter({ perSecond, burst }: RateLimit, now: () => number = Date.now): (caller: string) => void {
  const buckets = new Map<string, Bucket>()
  return (caller) => {
    const time = now()
    const bucket = buckets.get(caller) ?? { left: burst, at: time }
    bucket.left = Math.min(burst, bucket.left + ((time - bucket.at) / 1000) * perSecond)
    bucket.at = time
    buckets.set(caller, bucket)
    if (bucket.left < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.left) / perSecond))
      const message = `Too many requests. Come again in ${seconds} s.`
      throw new HttpError(429, message, { retryAfterMs: seconds * 1000 }, { 'retry-after': String(seconds) })
    }
    bucket.left--
  }
}
