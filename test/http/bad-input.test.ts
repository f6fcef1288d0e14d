import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const fact = (content: string, more: object = {}) => ({ layer: 'project', identifiers: SHOP, content, ...more })
const SHAPE = {
  error: {
    code: expect.any(String),
    message: expect.any(String),
    details: expect.any(Object),
    retryable: expect.any(Boolean),
  },
}

describe('one shape for every failure', () => {
  it('an unknown route, a wrong method, no JSON, broken JSON, no UTF-8, wrong types, unknown fields', async () => {
    const { call } = await openServer()
    const path = '/api/memories'
    const cases: [status: number, code: string, Awaited<ReturnType<typeof call>>][] = [
      [404, 'UNSUPPORTED', await call('GET', '/nowhere')],
      [404, 'UNSUPPORTED', await call('GET', '/api/memories/')],
      [405, 'UNSUPPORTED', await call('PUT', '/openapi.json')],
      [415, 'INVALID_INPUT', await call('POST', path, { raw: 'x=1', headers: { 'content-type': 'text/plain' } })],
      [415, 'INVALID_INPUT', await call('POST', path)],
      [400, 'INVALID_INPUT', await call('POST', path, { raw: '{"layer":' })],
      [400, 'INVALID_INPUT', await call('POST', path, { raw: '' })],
      [400, 'INVALID_INPUT', await call('POST', path, { raw: new Uint8Array([0x22, 0xff, 0xfe, 0x22]) })],
      [
        ...([400, 'INVALID_INPUT'] as const),
        await call('POST', '/login', { raw: '--x', headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
      ],
      [400, 'INVALID_INPUT', await call('POST', path, { body: null })],
      [400, 'INVALID_INPUT', await call('POST', path, { body: [fact('x')] })],
      [400, 'INVALID_INPUT', await call('POST', path, { body: fact('x', { tags: 'ops' }) })],
      [400, 'INVALID_INPUT', await call('POST', path, { body: fact('x', { colour: 'red' }) })],
      [400, 'INVALID_INPUT', await call('POST', path, { body: fact('x', { key: 'mine' }) })],
      [400, 'INVALID_INPUT', await call('POST', path, { body: fact('x', { identifiers: { projectId: '' } }) })],
      [400, 'INVALID_INPUT', await call('PATCH', `${path}/unknown`, { body: { colour: 'red' } })],
      [400, 'INVALID_INPUT', await call('GET', `${path}?projectId=shop&colour=red`)],
      [400, 'INVALID_INPUT', await call('GET', `${path}?projectId=shop&projectId=blog`)],
      [400, 'INVALID_INPUT', await call('GET', `${path}?projectId=shop&limit=1e1`)],
      [400, 'INVALID_INPUT', await call('GET', `${path}?projectId=shop&includeInactive=maybe`)],
      [400, 'INVALID_INPUT', await call('POST', '/api/memories/bulk', { body: { memories: [] } })],
      [400, 'INVALID_INPUT', await call('DELETE', '/api/directory/galaxy/milky')],
      [400, 'INVALID_LAYER', await call('GET', `${path}?projectId=shop&layers=galaxy`)],
    ]
    for (const [status, code, answer] of cases) {
      expect(answer.json, answer.text).toEqual(SHAPE)
      expect([answer.status, answer.json.error.code], answer.text).toEqual([status, code])
    }
    const bytes = new TextEncoder().encode(JSON.stringify(fact('?')))
    const broken = await call('POST', path, { raw: bytes.map((byte) => (byte === 0x3f ? 0xff : byte)) })
    expect([broken.status, broken.json.error.details]).toEqual([400, { field: 'body' }])
    const unknown = await call('POST', path, { body: fact('x', { colour: 'red' }) })
    expect(unknown.json.error).toMatchObject({ details: { field: 'colour' } })
    expect((await call('PUT', '/openapi.json')).headers.get('allow')).toBe('GET')
  })

  it('a failure that nobody foresaw is 500, says nothing of its cause, and is logged', async () => {
    const { call, app, lines } = await openServer()
    app.get('/broken', () => {
      throw new Error('secret inner detail')
    })
    const { status, json } = await call('GET', '/broken')
    expect([status, json.error.code, json.error.retryable]).toEqual([500, 'PROVIDER_ERROR', false])
    expect(JSON.stringify(json)).not.toContain('secret')
    expect(lines.join('')).toContain('secret inner detail')
  })

  it('a body over the limit is 413, also when it does not say its length', async () => {
    const { app, call } = await openServer()
    const large = JSON.stringify(fact('x'.repeat(1024 * 1024)))
    const error = { code: 'CONTENT_TOO_LONG', details: { maxLength: 1024 * 1024 } }
    expect(await call('POST', '/api/memories', { raw: large })).toMatchObject({ status: 413, json: { error } })
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    const response = await app.request('/api/memories', {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error })
  })

  it('names with slashes, dots, emoji and odd Unicode come back as they went in', async () => {
    const { call } = await openServer()
    for (const name of ['a/b', '../etc/passwd', '日本語', '👩‍🚀', 'a%2Fb', 'a b', '\u00E9', 'e\u0301', '%']) {
      const path = `/api/agents/${encodeURIComponent(name)}/memories`
      const { status, json } = await call('POST', path, { body: { projectId: name, content: `Of ${name}` } })
      expect([status, json.agentName, json.projectId], name).toEqual([201, name, name])
      const listed = await call('GET', `${path}?projectId=${encodeURIComponent(name)}`)
      expect(listed.json, name).toHaveLength(1)
    }
    for (const name of ['a\u202Eb', 'a\u0000b', 'a\nb']) {
      const path = `/api/agents/${encodeURIComponent(name)}/memories`
      expect((await call('POST', path, { body: { projectId: 'p', content: 'x' } })).status, name).toBe(400)
    }
    expect((await call('GET', '/api/agents/%ff/memories?projectId=p')).status).toBeLessThan(500)
  })
})

describe('versions and keys', () => {
  it('If-Match lets a change through on the version it names only: 412', async () => {
    const { call } = await openServer()
    const { memory } = (await call('POST', '/api/memories', { body: fact('One') })).json
    for (const [method, path, body] of [
      ['PATCH', `/api/memories/${memory.id}`, { importance: 60 }],
      ['PUT', `/api/v1/memories/${memory.id}`, { confidence: 0.8 }],
    ] as const) {
      const { json } = await call('GET', `/api/memories/${memory.id}`)
      const ifMatch = (value: string) => call(method, path, { body, headers: { 'if-match': value } })
      expect(await ifMatch('"99"')).toMatchObject({ status: 412, json: { error: { code: 'CONFLICT' } } })
      expect((await ifMatch(`"${json.version}"`)).status).toBe(200)
      expect((await ifMatch(`"${json.version}"`)).status).toBe(412)
      expect((await ifMatch('*')).status).toBe(200)
      expect((await ifMatch('nonsense')).status).toBe(400)
    }
    const remove = (value: string) => call('DELETE', `/api/memories/${memory.id}`, { headers: { 'if-match': value } })
    expect((await remove('"1"')).status).toBe(412)
    const { version } = (await call('GET', `/api/memories/${memory.id}`)).json
    expect((await remove(`"${version}"`)).status).toBe(200)
    expect((await call('GET', `/api/memories/${memory.id}`)).status).toBe(404)
  })

  it('the same Idempotency-Key changes nothing and answers the same; for something else it is 409', async () => {
    const { call, memory } = await openServer()
    const posts: [path: string, body: object, other: object][] = [
      ['/api/memories', fact('One'), fact('Other one')],
      ['/api/memories/bulk', { memories: [fact('Two'), fact('Three')] }, { memories: [fact('Other two')] }],
      [
        '/api/agents/nori/memories',
        { projectId: 'shop', content: 'Four' },
        { projectId: 'shop', content: 'Other four' },
      ],
      [
        '/api/v1/memories?projectId=shop',
        { category: 'timing', observation: 'Five' },
        { category: 'timing', observation: 'Other' },
      ],
      [
        '/api/memories/remember',
        { identifiers: SHOP, candidates: [{ content: 'Six is a number', category: 'learning' }] },
        { identifiers: SHOP, candidates: [{ content: 'Trees grow upward', category: 'learning' }] },
      ],
      [
        '/api/events',
        { type: 'hint', projectId: 'shop', summary: 'Ask Ann about taxes' },
        { type: 'hint', projectId: 'shop', summary: 'Do not ask Bob' },
      ],
    ]
    for (const [path, body, other] of posts) {
      const headers = { 'idempotency-key': `for ${path}` }
      const first = await call('POST', path, { body, headers })
      expect(first.status, path + first.text).toBeLessThan(300)
      const { totalCount } = await memory.list({ everything: true })
      const again = await call('POST', path, { body, headers })
      expect([again.status, ids(again.text)], path).toEqual([first.status, ids(first.text)])
      expect(await call('POST', path, { body: other, headers }), path).toMatchObject({
        status: 409,
        json: { error: { code: 'CONFLICT' } },
      })
      expect((await memory.list({ everything: true })).totalCount, path).toBe(totalCount)
    }
    expect(
      (await call('POST', '/api/memories', { body: fact('x'), headers: { 'idempotency-key': 'x'.repeat(256) } }))
        .status,
    ).toBe(400)
  })

  it('a key belongs to one request: another route, project or query with it is 409, and nothing is stored', async () => {
    const { call, memory } = await openServer()
    const headers = { 'idempotency-key': 'k' }
    const v1 = { category: 'timing', observation: 'One' }
    expect((await call('POST', '/api/v1/memories?projectId=shop', { body: v1, headers })).status).toBe(201)
    const others: [path: string, body: object][] = [
      ['/api/v1/memories?projectId=blog', v1],
      ['/api/memories', fact('One')],
      ['/api/memories', { ...fact('One'), identifiers: { projectId: 'blog' } }],
      ['/api/memories/bulk', { memories: [fact('One')] }],
      ['/api/memories/remember', { identifiers: SHOP, candidates: [{ content: 'One is', category: 'learning' }] }],
      ['/api/events', { type: 'hint', projectId: 'shop', summary: 'Ask Ann about taxes' }],
      ['/api/agents/nori/memories', { projectId: 'shop', content: 'One' }],
    ]
    for (const [path, body] of others) expect((await call('POST', path, { body, headers })).status, path).toBe(409)
    expect((await memory.list({ everything: true })).totalCount).toBe(1)
  })

  it('a repeated request is answered as the first time, whatever became of the memory', async () => {
    const { call } = await openServer()
    const headers = { 'idempotency-key': 'k' }
    const bulk = { body: { memories: [fact('Two'), fact('Three')] }, headers: { 'idempotency-key': 'b' } }
    const first = await call('POST', '/api/memories', { body: fact('One'), headers })
    const many = await call('POST', '/api/memories/bulk', bulk)
    expect(first.json.embeddingGenerated).toBe(true)
    const again = async () => {
      expect((await call('POST', '/api/memories', { body: fact('One'), headers })).json).toEqual(first.json)
      expect((await call('POST', '/api/memories/bulk', bulk)).json).toEqual(many.json)
    }
    await again()
    for (const { id } of [first.json.memory, ...many.json.memories]) {
      await call('PATCH', `/api/memories/${id}`, { body: { content: `Changed ${id}` } })
    }
    await again()
    for (const { id } of [first.json.memory, ...many.json.memories]) await call('DELETE', `/api/memories/${id}`)
    await again()
  })

  it('whoever leaves in the middle of its request is told of as 499, and not as a failure', async () => {
    const { app, lines } = await openServer()
    const left = new AbortController()
    const body = new ReadableStream({
      pull(controller) {
        left.abort()
        controller.error(new Error('aborted'))
      },
    })
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const request = new Request('http://localhost/api/memories', {
      ...{ method: 'POST', headers, body, duplex: 'half', signal: left.signal },
    } as RequestInit)
    expect((await app.fetch(request)).status).toBe(499)
    expect(lines.filter((line) => /"level":"?(error|warn|50|40)/.test(line))).toEqual([])
  })

  it('a filter on __proto__ is refused, and does not match everything', async () => {
    const { call } = await openServer()
    for (const filter of ['{"__proto__":1}', '[]', 'null', '{']) {
      const { status } = await call('GET', `/api/memories?projectId=shop&filter=${encodeURIComponent(filter)}`)
      expect(status, filter).toBe(400)
    }
    expect((await call('GET', '/login')).text).not.toContain('/some/where.db')
  })

  it('a key belongs to the token that sent it', async () => {
    const { call, token, memory } = await openServer()
    const headers = { 'idempotency-key': 'k' }
    for (const name of ['ann', 'bob']) {
      const sent = await call('POST', '/api/memories', {
        body: fact('Said by both', { exact: true }),
        headers,
        token: await token('write', SHOP, name),
      })
      expect(sent.status).toBe(201)
    }
    expect((await memory.list({ everything: true })).totalCount).toBe(2)
  })
})

function ids(text: string): string[] {
  return [...text.matchAll(/"id":"([0-9A-Z]{26})"/g)].map(([, id]) => id!)
}

describe('limits', () => {
  it('a token has a rate, and is told when to come again; another token is not held up', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { call, token } = await openServer({ rate: { perSecond: 1, burst: 3 }, requireToken: true })
    const [ann, bob] = [await token('read', SHOP, 'ann'), await token('read', SHOP, 'bob')]
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await call('GET', '/api/memories', { token: ann })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const refused = await call('GET', '/api/memories', { token: ann })
    expect(refused.json.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await call('GET', '/api/memories', { token: bob })).status).toBe(200)
    vi.setSystemTime(Date.now() + 1100)
    expect((await call('GET', '/api/memories', { token: ann })).status).toBe(200)
  })

  it('the log has a line for each request, with route and name, and nothing that was said', async () => {
    const { call, token, lines } = await openServer()
    const ann = await token('write', SHOP, 'ann')
    await call('POST', '/api/memories', { body: fact('Hidden words'), token: ann })
    await call('GET', '/api/memories?projectId=shop&tags=hidden-tag', { token: ann })
    await call('GET', '/api/memories/hidden-id', { token: ann })
    const log = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(log.slice(-3)).toMatchObject([
      { method: 'POST', route: '/api/memories', status: 201, by: 'ann', msg: 'request' },
      { method: 'GET', route: '/api/memories', status: 200, by: 'ann' },
      { method: 'GET', route: '/api/memories/:id', status: 404, by: 'ann' },
    ])
    expect(lines.join('').toLowerCase()).not.toContain('hidden')
    expect(lines.join('')).not.toContain(ann.slice(21))
  })
})
