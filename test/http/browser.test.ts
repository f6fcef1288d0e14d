import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const FACT = { layer: 'project', identifiers: SHOP, content: 'One' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const OWN = { origin: 'http://localhost:4816', 'sec-fetch-site': 'same-origin' }

async function signedIn() {
  const server = await openServer({ requireToken: true })
  const secret = await server.token('admin')
  const { headers, status } = await server.call('POST', '/login', {
    raw: `token=${secret}`,
    headers: { ...FORM, ...OWN },
  })
  const cookie = headers.get('set-cookie')!
  return { ...server, secret, status, headers, setCookie: cookie, cookie: cookie.split(';')[0]! }
}

describe('signing in', () => {
  it('makes a token a cookie that scripts and other sites do not get', async () => {
    const { status, headers, setCookie, cookie, secret, call } = await signedIn()
    expect([status, headers.get('location')]).toEqual([303, '/'])
    expect(setCookie).toMatch(/HttpOnly/)
    expect(setCookie).toMatch(/SameSite=Strict/)
    expect(setCookie).toMatch(/Path=\//)
    expect(setCookie).not.toContain(secret.slice(21))
    expect((await call('GET', '/api/memories?everything=true', { headers: { cookie } })).status).toBe(200)
    const https = await call('POST', '/login', {
      raw: `token=${secret}`,
      headers: { ...FORM, 'x-forwarded-proto': 'https' },
    })
    expect(https.headers.get('set-cookie')).toMatch(/Secure/)
    expect(setCookie).not.toMatch(/Secure/)
  })

  it('a wrong token is 401; a changed, foreign or revoked cookie opens nothing', async () => {
    const { call, cookie, memory, token } = await signedIn()
    expect((await call('POST', '/login', { raw: 'token=nonsense', headers: FORM })).status).toBe(401)
    const [id, expiry, signature] = cookie.slice('nokosu-4816='.length).split('.')
    const open = async (value: string) =>
      (await call('GET', '/api/memories?everything=true', { headers: { cookie: `nokosu-4816=${value}` } })).status
    expect(await open(`${id}.${Number(expiry) + 1}.${signature}`)).toBe(401)
    expect(await open(`${id}.${Date.now() - 1}.${signature}`)).toBe(401)
    const other = (await token('read', SHOP, 'other')).split('_')[1]
    expect(await open(`${other}.${expiry}.${signature}`)).toBe(401)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await memory.tokens.revoke('admin')
    // A valid token is cached for a second.
    vi.setSystemTime(Date.now() + 1100)
    expect(await open(`${id}.${expiry}.${signature}`)).toBe(401)
  })

  it('ends after thirty days', async () => {
    const { call, cookie } = await signedIn()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const open = async () => (await call('GET', '/api/caller', { headers: { cookie } })).status
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    expect(await open()).toBe(200)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    expect(await open()).toBe(401)
  })

  it('leads to a path of this server only', async () => {
    const { call, secret } = await signedIn()
    const next = async (to: string) =>
      (
        await call('POST', '/login', { raw: `token=${secret}&next=${encodeURIComponent(to)}`, headers: FORM })
      ).headers.get('location')
    expect(await next('/memories?service=web')).toBe('/memories?service=web')
    for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\r\nb']) {
      expect(await next(to), to).toBe('/')
    }
  })

  it('logout takes the cookie away, and a copy of it opens nothing', async () => {
    const { call, cookie, secret } = await signedIn()
    const open = async (value: string) => (await call('GET', '/api/caller', { headers: { cookie: value } })).status
    await call('POST', '/logout', { headers: { cookie: `${cookie}x`, ...OWN } })
    expect(await open(cookie)).toBe(200)
    const { headers } = await call('POST', '/logout', { headers: { cookie, ...OWN } })
    expect(headers.get('set-cookie')).toMatch(/nokosu-4816=;.*Max-Age=0/)
    expect(await open(cookie)).toBe(401)
    const again = await call('POST', '/login', { raw: `token=${secret}`, headers: { ...FORM, ...OWN } })
    expect(await open(again.headers.get('set-cookie')!.split(';')[0]!)).toBe(200)
  })

  it('a page without a sign-in leads to the form, and the API does not', async () => {
    const { call } = await signedIn()
    const page = await call('GET', '/?a=b', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('location')]).toEqual([303, '/login?next=%2F%3Fa%3Db'])
    expect((await call('GET', '/api/memories', { headers: { accept: 'text/html' } })).status).toBe(401)
  })
})

describe('what another site has a browser send', () => {
  it('is refused, with a cookie and, on this machine, without', async () => {
    const { call, cookie } = await signedIn()
    const local = await openServer()
    for (const foreign of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:9999' },
    ]) {
      const headers: Record<string, string> = Object.fromEntries(Object.entries(foreign))
      expect((await call('POST', '/api/memories', { body: FACT, headers: { ...headers, cookie } })).status).toBe(403)
      expect((await local.call('POST', '/api/memories', { body: FACT, headers })).status, JSON.stringify(foreign)).toBe(
        403,
      )
      expect((await local.call('POST', '/logout', { headers })).status).toBe(403)
    }
    expect((await local.memory.list({ everything: true })).totalCount).toBe(0)
  })

  it('a page of our own has to send the CSRF token; a program without a browser has not', async () => {
    const { call, cookie } = await signedIn()
    const local = await openServer()
    expect((await local.call('POST', '/api/memories', { body: FACT })).status).toBe(201)
    expect((await local.call('POST', '/api/memories', { body: FACT, headers: OWN })).status).toBe(403)
    expect((await call('POST', '/api/memories', { body: FACT, headers: { ...OWN, cookie } })).status).toBe(403)
    // A cookie without browser headers is not proof either.
    expect((await call('POST', '/api/memories', { body: FACT, headers: { cookie } })).status).toBe(403)
    const { csrf } = (await call('GET', '/api/caller', { headers: { cookie } })).json
    const headers = { ...OWN, cookie, 'x-csrf-token': csrf }
    expect((await call('POST', '/api/memories', { body: FACT, headers })).status).toBe(201)
    expect(
      (await call('POST', '/api/memories', { body: FACT, headers: { ...headers, 'x-csrf-token': `${csrf}x` } })).status,
    ).toBe(403)
  })

  it('a form carries the CSRF token as a field', async () => {
    const { call, cookie } = await signedIn()
    const { csrf } = (await call('GET', '/api/caller', { headers: { cookie } })).json
    const send = async (raw: string) =>
      (await call('POST', '/api/memories', { raw, headers: { ...OWN, ...FORM, cookie } })).status
    // The API expects JSON, so a request that gets this far has passed.
    expect([await send(`csrf=${csrf}`), await send('csrf=other'), await send('')]).toEqual([415, 403, 403])
  })

  it('the server answers to its own names only', async () => {
    const { call } = await openServer({ names: ['memory.example.com'] })
    const ask = async (host: string) => (await call('GET', '/api/agents', { headers: { host } })).status
    for (const host of 'localhost localhost:4816 127.0.0.1:1 [::1]:4816 memory.example.com MEMORY.example.com:80'.split(
      ' ',
    )) {
      expect(await ask(host), host).toBe(200)
    }
    for (const host of ['rebound.example', 'localhost.example', '10.0.0.1', 'a b', ''])
      expect(await ask(host), host).toBe(403)
    const open = await openServer({ host: '0.0.0.0' })
    const askOpen = async (host: string) => (await open.call('GET', '/api/agents', { headers: { host } })).status
    expect([await askOpen('10.0.0.1:4816'), await askOpen('rebound.example')]).toEqual([200, 403])
  })

  it('no answer lets a page of another site read it, frame it, or run a script in it', async () => {
    const { call } = await openServer()
    for (const path of ['/', '/docs', '/api/agents', '/nowhere']) {
      const { headers, text } = await call('GET', path, { headers: { origin: 'https://evil.example' } })
      expect(headers.get('access-control-allow-origin'), path).toBeNull()
      const policy = headers.get('content-security-policy')
      expect(policy, path).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'.*frame-ancestors 'none'/)
      expect(policy, path).not.toMatch(/unsafe|\*/)
      expect(text, path).not.toMatch(/<script(?![^>]*src="\/)|style="|onclick=|<link[^>]*https?:/)
    }
  })
})
