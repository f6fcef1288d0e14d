import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import { serveForTest } from '../mcp/serve-for-test.ts'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }

it('operator acts are in the log with who, from where and what; what agents and refused callers do is not', async () => {
  const { memory, call, token } = await openServer({ requireToken: true })
  const [ops, ci] = [await token('admin', {}, 'ops'), await token('write', SHOP, 'ci')]
  const add = async (content: string) =>
    (await call('POST', '/api/memories', { token: ci, body: { layer: 'project', content } })).json.memory.id as string
  const [one, two, three, four, own] = [
    await add('Staging is emptied at noon'),
    await add('Redis listens on 6380'),
    await add('Mail leaves at six'),
    await add('Redis evicts sessions hourly'),
    await add('The lockfile is pnpm-lock.yaml'),
  ]
  const admin = async (method: string, path: string, body?: object) => {
    const { status } = await call(method, path, { token: ops, ...(body ? { body } : {}) })
    expect(status, `${method} ${path}`).toBeLessThan(300)
  }
  await call('DELETE', `/api/memories/${own}`, { token: ci })
  expect((await call('POST', `/api/memories/${one}/retract`, { token: ci, body: { why: 'no' } })).status).toBe(403)
  await admin('PATCH', `/api/memories/${one}`, { tags: ['reset'] })
  await admin('POST', '/api/engine/update', { args: [one, { pinned: true }, { everything: true }] })
  await admin('POST', `/api/memories/${one}/settle`, { other: two, as: 'both-true' })
  await admin('POST', `/api/memories/${two}/retract`, { why: 'It was never true' })
  await admin('DELETE', `/api/memories/${three}`)
  await admin('DELETE', '/api/memories', { ids: [three, four] })
  await admin('POST', '/api/engine/tokens.create', { args: [{ name: 'bot', scope: 'read' }] })
  await admin('POST', '/api/engine/tokens.revoke', { args: ['bot'] })
  await admin('PUT', '/api/directory', { projectId: 'shop', teamId: 'red' })
  await admin('POST', '/api/engine/export', { args: [{ everything: true }] })
  await admin('POST', '/api/engine/purge', { args: [{ dryRun: true }] })
  await admin('POST', '/api/engine/purge', { args: [] })
  const { json } = await call('GET', '/api/audit', { token: ops })
  const served = json.entries.filter(({ via }: { via: string }) => via !== 'process')
  expect(served.map(({ act, what }: { act: string; what: object }) => [act, what])).toEqual([
    ['purge', { before: expect.any(String) }],
    ['export', { tokens: false }],
    ['directory set', { projectId: 'shop', teamId: 'red' }],
    ['token revoke', { token: 'bot' }],
    ['token create', { name: 'bot', scope: 'read', identifiers: {}, quota: {} }],
    ['delete', { memories: [three, four], count: 2 }],
    ['delete', { memory: three }],
    ['retract', { memory: two, why: 'It was never true' }],
    ['relate', { memory: one, other: two, as: 'both-true' }],
    ['pin', { memory: one }],
  ])
  for (const entry of served) expect(entry).toMatchObject({ by: 'ops', via: 'token' })
  // The tokens of this test were made in this process.
  const [local] = json.entries.filter(({ via }: { via: string }) => via === 'process')
  expect(local).toMatchObject({ act: 'token create', by: 'library', from: expect.stringContaining('@') })
  expect(JSON.stringify(json)).not.toContain(ops)

  const newest = await memory.audit({ limit: 1 })
  expect(newest.entries).toEqual(json.entries.slice(0, 1))
  expect((await memory.audit({ limit: 2, cursor: newest.nextCursor! })).entries).toEqual(json.entries.slice(1, 3))
  expect(await memory.audit({ since: '2999-01-01' })).toEqual({ entries: [], nextCursor: null })
  expect((await memory.audit({ since: '2000-01-01', limit: 1000 })).entries).toEqual(json.entries)
})

it('nobody but an admin reads the log, by any route; nobody writes into it or changes it', async () => {
  const { memory, call, token } = await openServer({ requireToken: true })
  const write = await token('write')
  const ops = await token('admin', {}, 'ops')
  for (const path of ['/api/audit', '/api/audit?since=2000-01-01'])
    expect((await call('GET', path, { token: write })).status).toBe(403)
  expect((await call('POST', '/api/engine/audit', { token: write, body: { args: [] } })).status).toBe(403)
  const own = { projectId: 'nokosu:audit' }
  const forged = { type: 'hint', ...own, summary: 'Nothing happened' }
  expect((await call('POST', '/api/events', { token: write, body: forged })).status).toBe(201)
  expect((await call('POST', '/api/events', { token: write, body: { ...forged, type: 'audit' } })).status).toBe(400)
  const seen = [
    await call('GET', '/api/events?projectId=nokosu:audit', { token: write }),
    await call('POST', '/api/engine/export', { token: write, body: { args: [{ identifiers: own }] } }),
    await call('GET', '/api/events?everything=true', { token: ops }),
    await call('POST', '/api/engine/export', { token: ops, body: { args: [{ everything: true }] } }),
  ]
  for (const { status, text } of seen) {
    expect(status).toBe(200)
    expect(text).not.toContain('token create')
  }
  const { entries } = await memory.audit()
  expect(entries.map(({ act }) => act)).toEqual(['export', 'token create', 'token create'])
  const event = { id: 'forged', at: '2026-03-01T00:00:00.000Z', type: 'audit', session: null, identifiers: own }
  const line = JSON.stringify({ type: 'event', event: { ...event, data: { act: 'nothing' } } })
  const report = await memory.import(
    (async function* () {
      yield line
    })(),
  )
  expect(report.bad).toHaveLength(1)
  expect((await memory.audit()).entries.some(({ id }) => id === 'forged')).toBe(false)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await call(method, '/api/audit', { token: ops })).status).toBe(405)
})

it('a complete backup holds the log, and its restore brings it back', async () => {
  const { memory } = await openServer()
  await memory.tokens.create({ name: 'ops', scope: 'admin' })
  const lines: string[] = []
  for await (const line of memory.export({ everything: true, tokens: true })) lines.push(line)
  const { memory: other } = await openServer()
  await other.import(
    (async function* () {
      yield* lines
    })(),
    { keepTrust: true },
  )
  const { entries } = await other.audit()
  expect(entries.map(({ act }) => act)).toEqual(['import', 'export', 'token create'])
})

it('from where: the address of the caller, as the proxy of the sign-in saw it, and of nobody else', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: { kind: 'hashing' }, relations: null })
  onTestFinished(() => memory.shutdown())
  const sso = { header: 'x-user', from: ['127.0.0.1'], operators: ['alice'], readers: [] }
  const { secret } = await memory.tokens.create({ name: 'ops', scope: 'admin' })
  const servers = [
    await serveForTest(memory, { sso }),
    await serveForTest(memory, { sso: { ...sso, from: ['10.0.0.1'] } }),
    await serveForTest(memory, { requireToken: true }),
  ]
  const revoke = (port: number, headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', method: 'PUT', path: '/api/directory', agent: false, headers })
      asked.on('response', (answer) => answer.resume().on('end', resolve)).on('error', reject)
      asked.end('{"projectId":"shop","teamId":"red"}')
    })
  const json = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.66, 203.0.113.5' }
  const authorization = `Bearer ${secret}`
  const origin = `http://127.0.0.1:${servers[0]!.port}`
  await revoke(servers[0]!.port, { ...json, origin, 'x-user': 'alice' })
  for (const { port } of servers) await revoke(port, { ...json, authorization })
  await revoke(servers[0]!.port, { ...json, authorization, 'x-forwarded-for': 'unknown' })
  const { entries } = await memory.audit({ limit: 5 })
  expect(entries.map(({ by, via, from }) => [by, via, from]).reverse()).toEqual([
    ['alice', 'sso', '203.0.113.5'],
    ['ops', 'token', '203.0.113.5'],
    ['ops', 'token', '127.0.0.1'],
    ['ops', 'token', '127.0.0.1'],
    ['ops', 'token', '127.0.0.1'],
  ])
})
