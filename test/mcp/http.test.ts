import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import type { NewToken } from '../../src/engine/tokens.ts'
import { call, memoryWithClients, newClient } from './mcp-client.ts'
import { serveForTest } from './serve-for-test.ts'

const OPERATOR_KEY = 'the-key-beside-the-store-of-the-tests-0123456789'

async function served(requireToken: boolean) {
  const { memory } = await memoryWithClients()
  // A server that requires tokens does not start without one.
  if (requireToken) await memory.tokens.create({ name: 'first', scope: 'admin' })
  const { url } = await serveForTest(memory, { requireToken, operatorKey: OPERATOR_KEY })
  async function connect(query: string, token?: string, mode: 'legacy' | 'auto' = 'legacy') {
    const client = newClient(mode)
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit: { headers } }))
    return client
  }
  const token = async (given: Omit<NewToken, 'name'>) => {
    const { secret } = await memory.tokens.create({ name: `t-${Math.random()}`, ...given })
    return secret
  }
  return { memory, url, connect, token }
}

it.each(['legacy', 'auto'] as const)('serves the same tools over HTTP (%s protocol)', async (mode) => {
  const { memory, connect } = await served(false)
  const client = await connect('?project=acme%2Fshop&agent=nori', undefined, mode)
  expect((await client.listTools()).tools).toHaveLength(8)
  await call(client, 'memory_add', { content: 'Prices are in cents', layer: 'project' })
  const found = await call(client, 'memory_search', { query: 'prices are in cents' })
  expect(found.text).toContain('- [learning] Prices are in cents')
  const { memories } = await memory.list({ everything: true })
  expect(memories).toMatchObject([{ identifiers: { projectId: 'acme/shop' }, tier: 1 }])
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toContain('nokosu://context/project/acme%2Fshop')
})

it('without a project in the address it is the server’s own on this machine, and to be named with a token', async () => {
  const { memory, connect, token } = await served(false)
  await call(await connect(''), 'memory_add', { content: 'Prices are in cents' })
  expect((await memory.list({ everything: true })).memories).toMatchObject([{ identifiers: { projectId: 'served' } }])
  const { isError, text } = await call(await connect('', await token({ scope: 'write' })), 'memory_list')
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringMatching(/^MISSING_IDENTIFIER: .*\?project=NAME/),
  })
})

it('a token bounds what its client sees and does', async () => {
  const { memory, connect, token } = await served(true)
  const { memory: other } = await memory.add({
    content: 'Not ours',
    layer: 'project',
    identifiers: { projectId: 'other' },
  })
  const bound = await token({ scope: 'write', identifiers: { projectId: 'shop' } })
  const client = await connect('?agent=nori', bound)
  expect((await call(client, 'memory_add', { content: 'Prices are in cents' })).value).toMatchObject({
    outcome: 'insert',
    memory: { layer: 'project' },
  })
  expect((await call(client, 'memory_get', { id: other.id })).text).toMatch(/^MEMORY_NOT_FOUND/)
  // A request beyond its rights is refused, not reduced to what is allowed.
  const greedy = await connect('?project=other', bound)
  for (const name of ['memory_list', 'memory_context']) {
    expect((await call(greedy, name)).text, name).toMatch(/^UNAUTHORIZED: /)
  }
  await expect(greedy.readResource({ uri: 'nokosu://context/project/other' })).rejects.toThrow()
  const { changes } = await memory.history((await memory.list({ everything: true })).memories[0]!.id, {
    everything: true,
  })
  expect(changes[0]!.by).toMatch(/^t-/)
})

it('a token that only reads is offered what reads, and no token is not served at all', async () => {
  const { connect, token, url } = await served(true)
  const client = await connect('?project=shop', await token({ scope: 'read' }))
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('memory_add')
  await expect(client.callTool({ name: 'memory_add', arguments: { content: 'x' } })).rejects.toThrow()
  await expect(connect('?project=shop')).rejects.toThrow()
  await expect(
    connect('?project=shop', 'nks_0000000000000000_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
  ).rejects.toThrow()
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(401)
})

it.each([
  ['not json', 'application/json'],
  ['{}', 'application/json'],
  ['[]', 'application/json'],
  ['{"jsonrpc":"2.0","id":1,"method":"nonsense"}', 'application/json'],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'text/plain'],
  [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'a'.repeat(5 << 20)}"}}`, 'application/json'],
])('a body that is none is refused (%#)', async (body, type) => {
  const { url } = await served(false)
  const headers = { 'content-type': type, accept: 'application/json, text/event-stream' }
  const answer = await fetch(`${url}/mcp?project=shop`, { method: 'POST', headers, body })
  expect(answer.status).toBeGreaterThanOrEqual(body.includes('nonsense') ? 200 : 400)
  expect(answer.status).toBeLessThan(500)
  expect(await answer.text()).toContain('error')
})

it('a page of another site cannot use it through a browser', async () => {
  const { url } = await served(false)
  const headers = { 'content-type': 'application/json', accept: 'application/json', origin: 'https://evil.example' }
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  expect((await fetch(`${url}/mcp?project=shop`, { method: 'POST', headers, body })).status).toBe(403)
})

it('a client that listens for changes does not hold up a server that stops', async () => {
  const { memory } = await memoryWithClients()
  const server = await serveForTest(memory)
  const listChanged = { tools: { onChanged: () => {} } }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' }, listChanged })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp?project=shop`)))
  await client.listTools()
  // The stream opens after the first requests.
  await client.listTools()
  await server.close()
  await client.close()
})

it('an operator’s token or key is offered what decides on memories, an agent’s and a machine’s own client are not', async () => {
  const { memory, connect, token } = await served(true)
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
  const admin = await token({ scope: 'admin' })
  const client = await connect('?project=shop', admin)
  expect(await names(client)).toEqual(expect.arrayContaining(['memory_undo', 'memory_settle', 'memory_retract']))
  const local = await served(false)
  expect(await names(await local.connect('?project=shop', OPERATOR_KEY))).toContain('memory_undo')
  for (const other of [
    local.connect('?project=shop'),
    local.connect('?project=shop&agent=nori', OPERATOR_KEY),
    connect('?project=shop&agent=nori', admin),
    connect('?project=shop', await token({ scope: 'write' })),
  ])
    expect(await names(await other)).not.toContain('memory_undo')
  const own = memory.as({ projectId: 'shop' })
  const add = async (content: string) => (await own.add({ content, category: 'timing', tier: 1 })).memory.id
  const [first, second] = [await add('Takes 60s to start'), await add('Takes 90s to start (was: Takes 60s to start)')]
  expect((await call(client, 'memory_get', { id: first })).text).toContain(
    `Corrected by ${second} “Takes 90s to start” (0.70 → 0.50): declared as a correction`,
  )
  expect((await call(client, 'memory_undo', { id: first })).text).toContain('Undone: corrected')
  await call(client, 'memory_settle', { ids: [second, first], as: 'replaces' })
  await call(client, 'memory_retract', { id: second, why: 'Another host' })
  expect((await own.context()).memories.map(({ content }) => content)).toEqual(['Takes 60s to start'])
})
