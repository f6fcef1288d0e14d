import { expect, it } from 'vitest'
import { sqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { openServer } from '../open-server.ts'
import { seeded } from './random.ts'
import { type Description, type FuzzRequest, fuzzRequests } from './requests.ts'

/** `NOKOSU_FUZZ=20000 NOKOSU_SEED=7 vitest run test/http/fuzz` for more, or others. */
const COUNT = Number(process.env.NOKOSU_FUZZ ?? 1000)
const SEED = Number(process.env.NOKOSU_SEED ?? 1)

it(`${COUNT} requests made from the API’s description: none fails the server, each answer is described`, {
  timeout: 300_000 + COUNT * 300,
}, async () => {
  const storage = sqliteStorage({ path: ':memory:' })
  const { app, call, memory, lines } = await openServer({ backend: storage })
  const description = (await call('GET', '/openapi.json')).json as Description
  const known = { ids: [] as string[], cursors: [] as string[] }
  const next = fuzzRequests(seeded(SEED), description, known)
  const statuses: Record<number, number> = {}
  for (let i = 0; i < COUNT; i++) {
    const request = next()
    const answer = await send(request)
    const told = `request ${i} of seed ${SEED}: ${JSON.stringify(request).slice(0, 1500)}: ${answer.text.slice(0, 500)} ${lines.at(-1)}`
    expect(answer.status, told).toBeLessThan(500)
    if (answer.status >= 400 && request.method !== 'HEAD')
      expect(answer.json?.error?.code, told).toEqual(expect.any(String))
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    known.ids.push(...[...answer.text.matchAll(/"id":"([0-9A-Z]{26})"/g)].map(([, id]) => id!).slice(0, 3))
    known.ids.splice(0, known.ids.length - 200)
    const cursor = /"nextCursor":("[^"]+")/.exec(answer.text)?.[1]
    if (cursor) known.cursors.push(JSON.parse(cursor) as string)
  }
  // A fuzzer without access finds nothing.
  const good = Object.entries(statuses).filter(([status]) => Number(status) < 300)
  expect(
    good.reduce((sum, [, count]) => sum + count, 0),
    JSON.stringify(statuses),
  ).toBeGreaterThan(COUNT * 0.15)
  expect((await memory.healthCheck()).status).toBe('healthy')
  if (process.env.NOKOSU_FUZZ) console.log(JSON.stringify(statuses))

  async function send({ method, path, headers, body }: FuzzRequest) {
    // The helper checks answers against the description. Requests that it cannot send go out directly.
    if (headers['content-type'] === undefined || headers['content-type'] === 'application/json') {
      return call(method, path, { headers, ...(body === undefined ? {} : { raw: body }) })
    }
    const init = { method, headers: { host: 'localhost', ...headers }, ...(body === undefined ? {} : { body }) }
    const response = await app.request(path, init)
    const text = await response.text()
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
  }
})
