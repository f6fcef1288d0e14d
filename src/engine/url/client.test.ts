import { afterEach, expect, it, vi } from 'vitest'
import { ServerClient } from './client.ts'

afterEach(() => void vi.restoreAllMocks())

/** A client whose requests this test answers. */
function clientOf(answer: (url: string, request: RequestInit) => Response | Promise<Response>, token?: string) {
  const asked: [string, RequestInit][] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, request = {}) => {
    asked.push([String(url), request])
    return answer(String(url), request)
  })
  return { asked, client: new ServerClient('https://host/base/', token) }
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
const late = () => Promise.reject(Object.assign(new Error('late'), { name: 'TimeoutError' }))

/** A stream in these chunks, even if they split characters. */
function parts(...texts: Uint8Array[]): Response {
  return new Response(ReadableStream.from(texts) as unknown as ReadableStream<Uint8Array>)
}

async function refusal(work: Promise<unknown>) {
  return work.then(
    () => null,
    (error) => error,
  )
}

it('a call is posted as JSON with its token, and a question without a body is a GET', async () => {
  const { client, asked } = clientOf(() => json({ value: 7 }), 'nks_x')
  expect(await client.ask('/list', { ms: 60_000, body: { args: [] } })).toBe(7)
  expect(await client.ask('', { ms: 60_000 })).toBe(7)
  expect(asked.map(([url, { method, body, headers }]) => [url, method, body, headers])).toEqual([
    [
      'https://host/base/api/engine/list',
      'POST',
      '{"args":[]}',
      { accept: 'application/json', authorization: 'Bearer nks_x', 'content-type': 'application/json' },
    ],
    ['https://host/base/api/engine', 'GET', null, { accept: 'application/json', authorization: 'Bearer nks_x' }],
  ])
})

it('the server’s own error is thrown as it is, and with a hint where the token is missing', async () => {
  const error = { code: 'CONFLICT', message: 'Stale.', details: { version: 2 }, retryable: false }
  const { client } = clientOf(() => json({ error }, 409))
  expect(await refusal(client.ask('/update', { ms: 1, body: {} }))).toMatchObject(error)
  const { client: unknown } = clientOf(() => json({ error: { code: 'UNAUTHORIZED', message: 'Who?' } }, 401))
  expect(await refusal(unknown.ask('/list', { ms: 1, body: {} }))).toMatchObject({
    code: 'UNAUTHORIZED',
    details: { hint: expect.stringContaining('nokosu token create') },
  })
})

it.each([
  [200, 'hello', false],
  [200, '{}', false],
  [404, '[]', false],
  [429, '{"error":{"code":"NO_SUCH"}}', true],
  [502, '', true],
])('something else that answers %i with %j is no server of ours', async (status, text, retryable) => {
  const { client } = clientOf(() => new Response(text, { status }))
  expect(await refusal(client.ask('/list', { ms: 1, body: {} }))).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: `The service at https://host/base (status ${status}) is not a Nokosu server.`,
    retryable,
  })
})

it('one that was silent is waited for less the next time, until it answers', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  let isSilent = true
  const { client } = clientOf(() => (isSilent ? late() : json({ value: 1 })))
  const waited = () => timeout.mock.calls.map(([ms]) => ms)
  expect(await refusal(client.ask('/list', { ms: 30_000, body: {} }))).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: 'The server at https://host/base did not answer within 30 s.',
  })
  isSilent = false
  await client.ask('/list', { ms: 30_000, body: {} })
  await client.ask('/list', { ms: 30_000, body: {} })
  expect(waited()).toEqual([30_000, 2000, 30_000])
})

it('one that refuses the connection is named with the reason, and a signal ends with its own', async () => {
  const { client } = clientOf(() => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })))
  expect(await refusal(client.ask('/list', { ms: 1 }))).toMatchObject({
    message: 'The server at https://host/base cannot be reached (ECONNREFUSED).',
  })
  const { client: bare } = clientOf(() => Promise.reject(new TypeError('fetch failed')))
  expect(await refusal(bare.ask('/list', { ms: 1 }))).toMatchObject({
    message: expect.stringContaining('(fetch failed)'),
  })
  const reason = new Error('enough')
  expect(await refusal(bare.ask('/list', { ms: 1, signal: AbortSignal.abort(reason) }))).toBe(reason)
})

it('an opening that nobody answers is not tried again; a wrong answer is refused', async () => {
  const { client, asked } = clientOf(late)
  expect(await refusal(client.about())).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringContaining('10 s'),
  })
  expect(asked).toHaveLength(1)
  const { client: other } = clientOf(() => json({ value: { capabilities: {} } }))
  expect(await refusal(other.about())).toMatchObject({ message: expect.stringContaining('is not a Nokosu server') })
})

it('lines come whole, also where a letter is cut in two, and the last one says whether that was all', async () => {
  const bytes = new TextEncoder().encode('{"a":"ü"}\n{"b":1}\n{"end":true}')
  const { client } = clientOf(() => parts(bytes.slice(0, 7), bytes.slice(7, 12), bytes.slice(12)))
  expect(await Array.fromAsync(client.lines('/export', { ms: 1, body: {} }))).toEqual(['{"a":"ü"}', '{"b":1}'])
  const { client: broken } = clientOf(() => parts(bytes.slice(0, 12)))
  expect(await refusal(Array.fromAsync(broken.lines('/export', { ms: 1 })))).toMatchObject({ retryable: true })
  const failed = { code: 'PROVIDER_ERROR', message: 'The disk is full.', retryable: false }
  const { client: half } = clientOf(() =>
    parts(new TextEncoder().encode(`{"a":1}\n${JSON.stringify({ error: failed })}`)),
  )
  expect(await refusal(Array.fromAsync(half.lines('/export', { ms: 1 })))).toMatchObject(failed)
  const { client: refused } = clientOf(() => json({ error: { code: 'UNAUTHORIZED', message: 'No.' } }, 401))
  expect(await refusal(Array.fromAsync(refused.lines('/export', { ms: 1 })))).toMatchObject({ code: 'UNAUTHORIZED' })
})

it.each([
  ['nonsense', 'is not an address'],
  ['https://ann:word@host', 'contains a password'],
  ['https://ann@host', 'contains a password'],
  ['https://host/?a=1', 'must end with its path'],
  ['https://host/#a', 'must end with its path'],
])('the address %s %s', (url, why) => {
  expect(() => new ServerClient(url, undefined)).toThrow(why)
})
