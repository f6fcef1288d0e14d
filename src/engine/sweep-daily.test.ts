import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { MemoryError } from '../model/errors.ts'
import { createLogger } from '../observe/log.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'
import { nextTime, parseTimeOfDay, sweepDaily } from './sweep-daily.ts'

it.each([
  ['03:00', '2026-03-01T02:59:59.999Z', '2026-03-01T03:00:00.000Z'],
  ['03:00', '2026-03-01T03:00:00.000Z', '2026-03-02T03:00:00.000Z'],
  ['23:59', '2026-12-31T23:59:30.000Z', '2027-01-01T23:59:00.000Z'],
])('the next %s after %s is %s', (text, now, next) => {
  expect(nextTime(new Date(now), parseTimeOfDay(text)!).toISOString()).toBe(next)
})

it.each(['24:00', '3:00', '03:60', '', 'noon'])('%j is not a time of day', (text) => {
  expect(parseTimeOfDay(text)).toBeNull()
})

/** A clock that jumps to the end of each sleep, until `days` have passed. */
function clock(days: number) {
  let time = Date.parse('2026-03-01T12:00:00.000Z')
  const end = Promise.withResolvers<void>()
  return {
    ended: end.promise,
    now: () => new Date(time),
    async sleep(ms: number, signal: AbortSignal) {
      if (time + ms < Date.parse('2026-03-01T12:00:00.000Z') + days * 86_400_000) {
        // As a timer does, the first half wakes early.
        time += ms > 1 ? Math.ceil(ms / 2) : ms
        return
      }
      end.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
  }
}

it('sweeps once a day, goes on after any failure, and stops', async () => {
  const { ended, ...time } = clock(3)
  const keys: string[] = []
  const lines: string[] = []
  const engine = {
    async sweep({ key }: { key?: string } = {}) {
      keys.push(key!)
      if (keys.length === 1) throw new TypeError('a fault of ours')
      if (keys.length === 2) throw new MemoryError('PROVIDER_ERROR', 'gone')
      return {} as never
    },
  }
  const daily = sweepDaily(
    engine,
    parseTimeOfDay('03:00')!,
    createLogger('info', (line) => lines.push(line)),
    time,
  )
  await ended
  await daily.stop()
  expect(keys).toEqual(['2026-03-02', '2026-03-03', '2026-03-04'])
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the sweep failed; the next one is tomorrow',
    'the sweep failed; the next one is tomorrow',
    'swept the store',
  ])
})

it('of several servers of a store, one sweeps; a sweep without a key always does', async () => {
  const shared = referenceData()
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const servers = await Promise.all(
    [1, 2, 3].map(() =>
      openMemory({
        storage: referenceStorage({ shared }),
        embedding: hashingEmbedding(),
        relations: null,
        now: () => new Date(now),
      }),
    ),
  )
  const expiresAt = '2026-03-02T00:00:00.000Z'
  const add = (content: string) => servers[0]!.as({ projectId: 'shop' }).add(content, { expiresAt })
  await add('Ticket 7 is open')
  now += 86_400_000
  const key = '2026-03-02'
  const reports = []
  for (const server of servers) reports.push(await server.sweep({ key }))
  const nothing = { ...reports[0], expired: 0 }
  expect(reports).toEqual([{ ...nothing, expired: 1 }, nothing, nothing])
  expect(new Set(Object.values(nothing))).toEqual(new Set([0]))
  expect(await servers[1]!.sweep({ key: '2026-03-03' })).toMatchObject({ expired: 0 })
  expect(await servers[1]!.sweep()).toMatchObject({ expired: 0 })
  for (const server of servers) await server.shutdown()
})
