import { expect, it, onTestFinished, vi } from 'vitest'
import { runToken } from '../../src/engine/run-token.ts'
import { dailyWrites } from '../../src/http/daily-writes.ts'
import { rateLimiter } from '../../src/http/rate-limit.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const fact = (content: string) => ({ layer: 'project', identifiers: SHOP, content })

it('a token makes its requests a minute, whatever the server allows: then 429, with the time to wait', async () => {
  let time = 0
  const count = rateLimiter({ perSecond: 200, burst: 2000 }, () => time)
  const tries = (caller: string, perMinute?: number) => {
    for (let done = 0; done < 100; done++) {
      try {
        count(caller, 0, perMinute)
      } catch (error) {
        return { done, error }
      }
    }
    return { done: 100 }
  }
  expect(tries('ci', 30)).toMatchObject({ done: 30, error: { status: 429, details: { retryAfterMs: 2000 } } })
  expect(tries('ops')).toEqual({ done: 100 })
  time = 10_000
  expect(tries('ci', 30)).toMatchObject({ done: 5 })
  time = 10 * MINUTE
  expect(tries('ci', 30)).toMatchObject({ done: 30 })
})

it('what a token may do is set when it is made, told by a 429 and listed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { call, memory } = await openServer({ requireToken: true })
  const make = (name: string, quota: object) => memory.tokens.create({ name, scope: 'write', identifiers: SHOP, quota })
  const slow = await make('slow', { requestsPerMinute: 2 })
  const get = (token: string) => call('GET', '/api/caller', { token })
  expect([(await get(slow.secret)).status, (await get(slow.secret)).status]).toEqual([200, 200])
  // A token that a run derives from it shares its quota.
  for (const token of [slow.secret, runToken(slow.secret, SHOP)!]) {
    const refused = await get(token)
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED', retryable: true } } })
    expect(refused.json.error.message).toMatch(/^This token may make 2 requests a minute\. Retry in \d+ s\.$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await memory.tokens.list())[0]).toMatchObject({ name: 'slow', quota: { requestsPerMinute: 2 } })
  for (const quota of [{ requestsPerMinute: 0 }, { writesPerDay: -1 }, { writesPerDay: 1.5 }, { other: 1 }])
    await expect(make('wrong', quota)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

it('a token writes so many memories a day, whatever the call; it goes on reading, and the rest of a refused call is not stored', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-04T10:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  const { call, memory } = await openServer({ requireToken: true })
  const token = (await memory.tokens.create({ name: 'ci', scope: 'write', quota: { writesPerDay: 5 } })).secret
  const add = (content: string) => call('POST', '/api/memories', { token, body: fact(content) })
  const first = await add('Staging is emptied at noon')
  expect(first.status).toBe(201)
  const memories = [fact('Redis listens on 6380'), fact('The lockfile is pnpm-lock.yaml')]
  expect((await call('POST', '/api/engine/bulkAdd', { token, body: { args: [memories] } })).status).toBe(200)
  const { id } = first.json.memory
  expect((await call('PATCH', `/api/memories/${id}`, { token, body: { tags: ['a'] } })).status).toBe(200)
  const tooMany = await call('POST', '/api/memories/bulk', {
    token,
    body: { memories: [fact('Caddy reloads on SIGHUP'), fact('Mail leaves at six')] },
  })
  expect(tooMany).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
  expect(tooMany.headers.get('retry-after')).toBe(String((14 * HOUR) / 1000))
  expect(tooMany.json.error.message).toContain('5 memories a day (UTC)')
  expect((await call('DELETE', `/api/memories/${id}`, { token })).status).toBe(200)
  for (const [method, path, body] of [
    ['POST', '/api/memories', fact('One more')],
    ['POST', '/api/engine/add', { args: [fact('One more')] }],
    [
      'POST',
      '/api/engine/remember',
      { args: [[{ content: 'One more', category: 'learning' }], { identifiers: SHOP }] },
    ],
  ] as const)
    expect((await call(method, path, { token, body })).status, path).toBe(429)
  expect((await memory.list({ everything: true })).totalCount).toBe(2)
  expect(
    (await call('POST', '/api/memories/search', { token, body: { query: 'redis', identifiers: SHOP } })).status,
  ).toBe(200)
  vi.setSystemTime(new Date('2026-03-05T00:00:01Z'))
  expect((await add('One more')).status).toBe(201)
})

it('all servers of a store share the count, at once too, and one that starts again goes on with it', async () => {
  const { memory } = await openServer({ backend: referenceStorage() })
  const noon = Date.parse('2026-03-04T12:00:00Z')
  let time = noon
  const open = () => dailyWrites(memory, () => time)
  const servers = [open(), open(), open()]
  const until = async (perDay: number, all: typeof servers) => {
    const tries = Array.from({ length: perDay * 2 }, (_, i) => all[i % all.length]!('ci', perDay, 1))
    return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length
  }
  // The rest of a part may be left with a server that was not asked again.
  expect((await until(250, servers)) + (await until(250, servers))).toBe(250)
  expect(await until(250, [open()])).toBe(0)
  await expect(open()('ci', 250, 1)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { retryAfterMs: 12 * HOUR, writesPerDay: 250 },
  })
  // One that stops loses what it had asked for and not used: a hundredth.
  time += 24 * HOUR
  await open()('ci', 1000, 1)
  expect(await until(1000, [open()])).toBe(990)
  await expect(open()('other', 10, 11)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})
