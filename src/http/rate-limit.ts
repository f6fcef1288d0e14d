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

/** `perMinute`: the caller's own quota, besides the server's limit. */
export type CountRequest = (caller: string, bytes: number, perMinute?: number) => void

/** Counts a caller's request by its size, or refuses it. A caller gets `burst` at once, and `perSecond` over time. */
export function rateLimiter(rate: RateLimit | null, now: () => number = Date.now): CountRequest {
  const buckets = new Map<string, Bucket>()
  const take = (name: string, bytes: number, { perSecond, burst }: RateLimit, why: string) => {
    const cost = Math.min(burst, 1 + Math.floor(bytes / BYTES_A_REQUEST))
    const time = now()
    const bucket = buckets.get(name) ?? { left: burst, at: time }
    bucket.left = Math.min(burst, bucket.left + ((time - bucket.at) / 1000) * perSecond)
    bucket.at = time
    buckets.set(name, bucket)
    if (bucket.left < cost) {
      const seconds = Math.max(1, Math.ceil((cost - bucket.left) / perSecond))
      throw new HttpError(429, `${why} Retry in ${seconds} s.`, { retryAfterMs: seconds * 1000 })
    }
    bucket.left -= cost
  }
  return (caller, bytes, perMinute) => {
    if (perMinute !== undefined) {
      const own = { perSecond: perMinute / 60, burst: perMinute }
      take(`${caller} own`, bytes, own, `This token may make ${perMinute} requests a minute.`)
    }
    if (rate !== null) take(caller, bytes, rate, 'Too many requests.')
  }
}
