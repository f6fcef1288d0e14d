import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import { createSso, type SsoOptions } from '../../src/http/sso.ts'
import { serveForTest } from '../mcp/serve-for-test.ts'

const SSO: SsoOptions = {
  header: 'X-Forwarded-User',
  from: ['127.0.0.1'],
  operators: ['alice@acme.com'],
  readers: ['*'],
}
const ALICE = { 'x-forwarded-user': 'alice@acme.com' }

async function open(changes: Partial<SsoOptions> = {}, host = '127.0.0.1') {
  const memory = await openMemory({ storage: 'memory:', embedding: { kind: 'hashing' }, relations: null })
  onTestFinished(() => memory.shutdown())
  const server = await serveForTest(memory, { host, sso: { ...SSO, ...changes } })
  /** By the plain client: it sends what a proxy and a hostile client can. */
  const call = (method: string, path: string, headers: Record<string, string | string[]> = {}, body?: string) =>
    new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: server.port, method, path, headers, agent: false }, (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, text, location: answer.headers.location }))
      })
      asked.on('error', reject)
      asked.end(body)
    })
  const who = async (headers: Record<string, string | string[]>) => {
    const { status, text } = await call('GET', '/api/caller', headers)
    return status === 200 ? JSON.parse(text) : status
  }
  return { memory, call, who, own: `http://127.0.0.1:${server.port}` }
}

it('a person whom the proxy names is an operator if listed, otherwise a reader, by name', async () => {
  const { memory, call, who, own } = await open()
  expect(await who(ALICE)).toMatchObject({ name: 'alice@acme.com', scope: 'admin', identifiers: {} })
  expect(await who({ 'x-forwarded-user': 'Alice@acme.com' })).toMatchObject({ scope: 'read' })
  expect(await who({ 'x-forwarded-user': Buffer.from('Jürgen').toString('latin1') })).toMatchObject({ name: 'Jürgen' })
  const { memory: fact } = await memory.add({ layer: 'project', identifiers: { projectId: 'shop' }, content: 'Old' })
  const change = (headers: object) =>
    call('PATCH', `/api/memories/${fact.id}`, { 'content-type': 'application/json', ...headers }, '{"content":"New"}')
  expect((await change({ 'x-forwarded-user': 'bob', origin: own })).status).toBe(403)
  expect((await change({ ...ALICE, origin: own })).status).toBe(200)
  const { changes } = await memory.history(fact.id, { everything: true })
  expect(changes.at(-1)).toMatchObject({ by: 'alice@acme.com', operation: 'update' })
  expect((await call('GET', '/', { ...ALICE, accept: 'text/html' })).status).toBe(200)
})

it('a change by the proxy’s sign-in comes from our own pages: not from another site’s, nor from a program', async () => {
  const { memory, call, own } = await open()
  for (const from of [
    {},
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: own, 'sec-fetch-site': 'cross-site' },
  ]) {
    const body = JSON.stringify({ layer: 'project', identifiers: { projectId: 'shop' }, content: 'Forged' })
    const { status } = await call(
      'POST',
      '/api/memories',
      { ...ALICE, 'content-type': 'application/json', ...from },
      body,
    )
    expect(status, JSON.stringify(from)).toBe(403)
  }
  expect((await memory.list({ everything: true })).memories).toEqual([])
})

it('from any other address the header means nothing, and without it nobody is anybody', async () => {
  const { who, call } = await open({ from: ['10.0.0.0/8', '::1', 'fd00::/8'] })
  for (const spoofed of [
    ALICE,
    { ...ALICE, 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1', 'x-real-ip': '10.0.0.1' },
    { 'x-forwarded-user': ['alice@acme.com', 'alice@acme.com'] },
  ])
    expect(await who(spoofed)).toBe(401)
  expect(await call('GET', '/', { ...ALICE, accept: 'text/html' })).toMatchObject({
    status: 303,
    location: '/login?next=%2F',
  })
  const trusted = await open()
  expect(await trusted.who({})).toBe(401)
  expect(await trusted.who({ 'x-forwarded-user': '' })).toBe(401)
})

it('an IPv4 proxy is known by its address where the server listens on IPv6 too', async () => {
  const { who } = await open({}, '::')
  expect(await who(ALICE)).toMatchObject({ scope: 'admin' })
  expect(await (await open({ from: ['10.0.0.0/8'] }, '::')).who(ALICE)).toBe(401)
})

it('two names, or one that cannot be shown, are refused; a person on no list signs in with a token', async () => {
  const { who, memory } = await open({ readers: ['bob'] })
  for (const name of [
    ['mallory', 'alice@acme.com'],
    ['alice@acme.com', 'alice@acme.com'],
    'mallory, alice@acme.com',
    'session:1',
    'operator',
    Buffer.from('a\u202Eb').toString('latin1'),
    Buffer.from('a\u0085b').toString('latin1'),
    '\x85',
    'x'.repeat(300),
  ])
    expect(await who({ 'x-forwarded-user': name })).toBe(400)
  expect(await who({ 'x-forwarded-user': '*' })).toBe(401)
  expect(await who({ 'x-forwarded-user': 'eve' })).toBe(401)
  const { secret } = await memory.tokens.create({ name: 'eve', scope: 'write', identifiers: { projectId: 'shop' } })
  const authorization = `Bearer ${secret}`
  expect(await who({ 'x-forwarded-user': 'eve', authorization })).toMatchObject({ name: 'eve', scope: 'write' })
  // A token says more than the proxy: a program behind it is itself.
  expect(await who({ ...ALICE, authorization })).toMatchObject({ name: 'eve', scope: 'write' })
  expect(await who({ ...ALICE, authorization: 'Bearer wrong' })).toBe(401)
})

it('only the named addresses are the proxy', () => {
  const isProxy = (from: string, remoteAddress: string | undefined) => {
    const incoming = { headersDistinct: { 'x-forwarded-user': ['alice@acme.com'] }, socket: { remoteAddress } }
    return createSso({ ...SSO, from: [from] }).userOf({ env: { incoming } } as never) !== null
  }
  for (const [from, yes, no] of [
    [
      '10.0.0.0/8',
      ['10.0.0.1', '10.255.255.255', '::ffff:10.1.2.3'],
      ['11.0.0.0', '9.255.255.255', '::ffff:11.0.0.1', '::10.0.0.1'],
    ],
    ['172.16.0.0/12', ['172.31.255.255'], ['172.32.0.0', '172.15.255.255']],
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    ['fd00::/9', ['fd00::1', 'fd7f::1'], ['fd80::1', 'fe80::1', '10.0.0.1', '::1']],
    ['2001:db8::/33', ['2001:db8:7fff::1'], ['2001:db8:8000::1']],
    ['fe80::/10', ['fe80::1%eth0', 'febf::1'], ['fec0::1']],
    ['::1', ['::1'], ['::2', '127.0.0.1']],
  ] as const) {
    for (const address of yes) expect(isProxy(from, address), `${address} in ${from}`).toBe(true)
    for (const address of [...no, undefined, '', 'localhost'])
      expect(isProxy(from, address), `${address} in ${from}`).toBe(false)
  }
})

it('settings that would let anybody in are refused', () => {
  for (const wrong of [
    { from: [] },
    ...[
      ...'0.0.0.0/0 ::/0 localhost 10.0.0.0/33 10.0.0.0/ 10.0.0.0/8/8 ::ffff:10.0.0.0/104'.split(' '),
      '',
      '10/8',
    ].map((each) => ({ from: [each] })),
    { header: 'Authorization' },
    { header: 'cookie' },
    { header: 'x user' },
    { operators: ['*'] },
  ])
    expect(() => createSso({ ...SSO, ...wrong }), JSON.stringify(wrong)).toThrow(/--sso-/)
})
