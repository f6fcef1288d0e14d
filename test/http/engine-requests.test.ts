import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import { OWN_OPERATIONS, WHOLE_OPERATIONS } from '../../src/engine/url/operations.ts'
import { EVERYTHING, quick, SHOP, served } from './engine-server.ts'

/** A server at an address. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('on the way', () => {
  const CAPABILITIES = { vectorSearch: true, keywordSearch: true, maxContentLength: 1000 }
  const about = JSON.stringify({
    value: { capabilities: CAPABILITIES, settings: {}, model: { name: 'm', dimensions: 4 } },
  })

  it('one call is one request; a lost answer is asked for again, and nothing is stored twice', async () => {
    const { url: real, token, memory } = await served()
    const asked: string[] = []
    let losing = false
    const url = await listen(async (request, response) => {
      const body = await Array.fromAsync(request as AsyncIterable<Buffer>)
      asked.push(request.url!)
      const { authorization = '' } = request.headers
      const answer = await fetch(`${real}${request.url}`, {
        method: request.method!,
        headers: { authorization, 'content-type': 'application/json' },
        body: request.method === 'GET' ? null : Buffer.concat(body),
      })
      const text = await answer.text()
      const isLost = losing
      losing = false
      return isLost ? response.destroy() : response.writeHead(answer.status).end(text)
    })
    const remote = await openMemory({ storage: url, token: await token('write', SHOP), retry: quick })
    onTestFinished(() => remote.shutdown())
    expect(asked.splice(0)).toEqual(['/api/engine'])
    const who = { identifiers: SHOP }
    const { memory: added } = await remote.add({ content: 'Prices are in cents', ...who, layer: 'project' })
    await remote.search({ query: 'prices', ...who })
    await remote.context({ format: 'operational', ...who })
    expect(asked.splice(0)).toEqual(['/api/engine/add', '/api/engine/search', '/api/engine/context'])
    const changes: [string, () => Promise<unknown>][] = [
      ['add', () => remote.add({ content: 'Builds take an hour', ...who, layer: 'project', exact: true })],
      ['bulkAdd', () => remote.bulkAdd([{ content: 'Logs are in /var', ...who, layer: 'project' }], { exact: true })],
      ['remember', () => remote.remember(['Caddy needs DNS'], { ...who, session: 's' })],
      ['update', () => remote.update(added.id, { content: 'Prices are in euros' }, who)],
      ['beginSession', () => remote.beginSession({ id: 's1', project: 'shop' })],
      ['delete', () => remote.delete(added.id, who)],
    ]
    for (const [name, change] of changes) {
      losing = true
      await change()
      expect(asked.splice(0), name).toEqual([`/api/engine/${name}`, `/api/engine/${name}`])
    }
    expect((await memory.list(EVERYTHING)).memories.map(({ content }) => content).sort()).toEqual([
      'Builds take an hour',
      'Caddy needs DNS',
      'Logs are in /var',
    ])
    // Restoring twice differs from restoring once, so requests without a key are not retried.
    losing = true
    await expect(remote.restore(added.id, who)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(asked.splice(0)).toHaveLength(1)
  })

  it('a call can be stopped, and rejects with the reason', async () => {
    const url = await listen((request, response) => void (request.method === 'GET' && response.end(about)))
    const remote = await openMemory({ storage: url, retry: quick })
    const stop = new AbortController()
    const asking = remote.list({ identifiers: SHOP, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(asking).rejects.toThrow('enough')
  })

  it('nobody there, and something else there, are told apart', async () => {
    for (const answer of ['<p>Hello', '{"value":null}']) {
      const url = await listen((_, response) => void response.end(answer))
      await expect(openMemory({ storage: url })).rejects.toMatchObject({
        code: 'PROVIDER_ERROR',
        retryable: false,
        message: expect.stringContaining('is not a Nokosu server'),
      })
    }
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const nowhere = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
    await new Promise((resolve) => gone.close(resolve))
    await expect(openMemory({ storage: nowhere })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      retryable: true,
      message: `The server at ${nowhere} cannot be reached (ECONNREFUSED).`,
    })
  })

  it('a server that is starting is waited for', async () => {
    let asked = 0
    const url = await listen((_, response) => {
      asked++
      if (asked < 3) response.writeHead(502).end('<h1>Bad gateway')
      else response.end(about)
    })
    expect((await openMemory({ storage: url })).capabilities).toEqual(CAPABILITIES)
    expect(asked).toBe(3)
  })

  it('a token is not sent on to where a redirect points', async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = await listen(({ headers }, response) => {
      seen.push(headers.authorization)
      response.end(about)
    })
    const url = await listen(
      (_, response) => void response.writeHead(307, { location: `${elsewhere}/api/engine` }).end(),
    )
    await expect(openMemory({ storage: url, token: 'secret' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(seen).toEqual([])
  })

  it.each(['https://user:password@host', 'http://host/?x=1', 'http://host/#x', 'http://'])(
    '%s is no address',
    async (url) => {
      const error = await openMemory({ storage: url }).catch((thrown: Error) => thrown)
      expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { key: 'db' } })
      expect((error as Error).message).not.toContain('password@')
    },
  )

  it('what is not a call is refused, and fails nothing', async () => {
    const { token, post, memory, url } = await served()
    const secrets = [await token('admin'), await token('write', SHOP)]
    const bad: unknown[] = [null, 5, 'x', {}, [], { identifiers: 5 }, { everything: 'yes' }, { key: 5 }]
    for (const secret of secrets) {
      for (const name of [...Object.keys(OWN_OPERATIONS), ...Object.keys(WHOLE_OPERATIONS)]) {
        if (['purge', 'sweep', 'reembed'].includes(name)) continue
        for (const value of bad) {
          if (name === 'export') continue
          const { status } = await post(name, secret, { args: [value, value] })
          expect(status, `${name} ${JSON.stringify(value)}`).toBeLessThan(500)
        }
      }
    }
    for (const body of [{}, { args: 5 }, { args: [], as: { identifiers: 5 } }, { args: [], as: { admin: true } }]) {
      expect((await post('list', secrets[0]!, body)).status).toBe(400)
    }
    for (const name of ['nonsense', 'constructor', '__proto__', 'shutdown']) {
      expect((await fetch(`${url}/api/engine/${name}`, { method: 'POST' })).status).toBe(404)
    }
    expect((await memory.stats()).memories).toBe(0)
  })
})
