import { expect, it, onTestFinished, vi } from 'vitest'
import { rateLimiter } from '../../src/http/rate-limit.ts'
import { openServer } from './open-server.ts'

async function openStream(server: Awaited<ReturnType<typeof openServer>>, token: string): Promise<Response> {
  return server.app.request('/live', { headers: { host: 'localhost', authorization: `Bearer ${token}` } })
}

it('a live stream ends when its token is revoked', async () => {
  const server = await openServer({ requireToken: true })
  const token = await server.token('read', { projectId: 'shop' }, 'watcher')
  const response = await openStream(server, token)
  expect(response.status).toBe(200)
  await server.memory.tokens.revoke('watcher')
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  // A valid token is cached for a second.
  vi.setSystemTime(Date.now() + 2000)
  // Only ends with the stream.
  expect(await response.text()).toContain('event: ready')
})

it('one caller has so many live streams, and another has its own', async () => {
  const server = await openServer({ requireToken: true })
  const [one, other] = [
    await server.token('read', { projectId: 'shop' }, 'one'),
    await server.token('read', { projectId: 'shop' }, 'other'),
  ]
  const open: Response[] = []
  for (let i = 0; i < 20; i++) open.push(await openStream(server, one))
  expect(open.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const refused = await openStream(server, one)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  const others = await openStream(server, other)
  expect(others.status).toBe(200)
  server.stop()
  await Promise.all([...open, others].map((response) => response.text()))
})

it('a large body counts as many requests', () => {
  const count = rateLimiter({ perSecond: 1, burst: 10 }, () => 0)
  count('a', 8 * 32 * 1024)
  expect(() => count('a', 64 * 1024)).toThrow(/Too many requests/)
  count('a', 0)
  // A response larger than the caller's whole quota passes if nothing else was sent.
  count('b', 1024 ** 3)
  expect(() => count('b', 0)).toThrow(/Too many requests/)
})
