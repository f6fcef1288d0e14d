import { randomUUID } from 'node:crypto'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'

/** Counts memories that a token is about to write, or refuses them. */
export type CountWrites = (token: string, perDay: number, memories: number) => Promise<void>

/** A quota is claimed in this many parts: a server that stops loses at most one part. */
const PARTS = 100
const DAY_MS = 86_400_000

interface Day {
  day: string
  /** The next part to ask for. */
  part: number
  left: number
  /** Writes are counted one after another: two at once would claim the same part. */
  last: Promise<void>
}

/**
 * Counts each token's writes per UTC day in the store, so that all servers share the count and a restart keeps it. Each part of a
 * quota is a key that one server can bind.
 */
export function dailyWrites({ bindKey }: Pick<Nokosu, 'bindKey'>, now: () => number = Date.now): CountWrites {
  const server = randomUUID()
  const days = new Map<string, Day>()
  const dayOf = (token: string): Day => {
    const day = new Date(now()).toISOString().slice(0, 10)
    const known = days.get(token)
    if (known?.day === day) return known
    const fresh = { day, part: 0, left: 0, last: Promise.resolve() }
    days.set(token, fresh)
    return fresh
  }
  const isOurs = async (key: string) => {
    try {
      await bindKey(key, server)
      return true
    } catch (error) {
      if (MemoryError.is(error) && error.code === 'CONFLICT') return false
      throw error
    }
  }
  const take = async (token: string, perDay: number, memories: number, own: Day) => {
    const parts = Math.min(PARTS, perDay)
    const until = (part: number) => Math.floor((part * perDay) / parts)
    while (own.left < memories) {
      if (own.part >= parts) throw tooMany(perDay, now())
      if (await isOurs(`quota ${token} ${own.day} ${own.part}`)) own.left += until(own.part + 1) - until(own.part)
      own.part++
    }
    own.left -= memories
  }
  return (token, perDay, memories) => {
    const own = dayOf(token)
    const taken = own.last.then(() => take(token, perDay, memories, own))
    own.last = taken.catch(() => {})
    return taken
  }
}

function tooMany(perDay: number, now: number): MemoryError {
  const retryAfterMs = DAY_MS - (now % DAY_MS)
  const message = `This token may write ${perDay} memories a day (UTC). The next day begins in ${Math.ceil(retryAfterMs / 60_000)} min.`
  return new MemoryError('RATE_LIMITED', message, { details: { retryAfterMs, writesPerDay: perDay } })
}
