import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MemoryError } from '../model/errors.ts'
import { type HttpEmbeddingOptions, httpEmbedding } from './http.ts'

const KEY = 'sk-loopback-0123456789'

interface Received {
  path: string
  authorization: string | undefined
  body: { model: string; input: string[] }
}

let server: Server
let url: string
let received: Received[]
let answer: (request: Received, response: ServerResponse, raw: IncomingMessage) => void

beforeEach(async () => {
  received = []
  answer = ({ body }, response) => send(response, 200, { data: vectorsFor(body.input) })
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray()
    const seen: Received = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    }
    received.push(seen)
    answer(seen, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** [length, 0, 1] before scaling, so that each text can be recognised by its vector. */
function vectorsFor(input: string[]): { index: number; embedding: unknown }[] {
  return input.map((text, index) => ({ index, embedding: [text.length, 0, 1] }))
}

function lengthsOf(vectors: Float32Array[]): number[] {
  return vectors.map((vector) => Math.round(vector[0]! / vector[2]!))
}

function open(options: Partial<HttpEmbeddingOptions> = {}) {
  return httpEmbedding({ url, model: 'tiny', dimensions: 3, apiKey: KEY, ...options })
}

async function failureOf(promise: Promise<unknown>): Promise<MemoryError> {
  const error = await promise.then(
    () => expect.unreachable('it must fail'),
    (reason: MemoryError) => reason,
  )
  const everything = [
    error.message,
    error.stack,
    String(error.cause),
    JSON.stringify(error),
    JSON.stringify(error.details),
  ]
  expect(everything.join(' ')).not.toContain(KEY)
  return error
}

describe('asking', () => {
  test('texts go in batches with model and key, and come back as unit vectors in order', async () => {
    const vectors = await open({ batchSize: 2 }).embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'])
    expect(lengthsOf(vectors)).toEqual([1, 2, 3, 4, 5])
    expect(Math.hypot(...vectors[2]!)).toBeCloseTo(1, 6)
    expect(received.map(({ body }) => body.input.length)).toEqual([2, 2, 1])
    expect(received[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
      body: { model: 'tiny' },
    })
  })

  test('the url may be the base or the endpoint, with a query', async () => {
    await open({ url: `${url}/embeddings` }).embed(['a'])
    await open({ url: `${url}/?api-version=7` }).embed(['a'])
    expect(received.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings?api-version=7'])
  })

  test('without a key no authorization is sent', async () => {
    await httpEmbedding({ url, model: 'tiny', dimensions: 3 }).embed(['a'])
    expect(received[0]?.authorization).toBeUndefined()
  })

  test('blank texts are not sent and get the zero vector in their place', async () => {
    const vectors = await open().embed(['', 'bb', ' \n'])
    expect(received[0]?.body.input).toEqual(['bb'])
    expect(lengthsOf([vectors[1]!])).toEqual([2])
    expect([...vectors[0]!, ...vectors[2]!]).toEqual([0, 0, 0, 0, 0, 0])
    await open().embed([])
    expect(received).toHaveLength(1)
  })

  test('an answer in base64 and out of order is understood', async () => {
    answer = ({ body }, response) => {
      const data = body.input.map((text, index) => ({
        index,
        embedding: Buffer.from(Float32Array.of(text.length, 0, 1).buffer).toString('base64'),
      }))
      send(response, 200, { data: data.reverse() })
    }
    expect(lengthsOf(await open().embed(['a', 'bb', 'ccc']))).toEqual([1, 2, 3])
  })

  test('two models, and two lengths of one model, have different names', () => {
    const names = [open(), open({ model: 'other' }), open({ dimensions: 4 })].map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
  })
})

describe('failures', () => {
  test('429 is RATE_LIMITED with the wait from Retry-After, in seconds or as a date', async () => {
    answer = (_, response) => send(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' })
    const limited = await failureOf(open().embed(['a']))
    expect(limited).toMatchObject({ code: 'RATE_LIMITED', retryable: true, details: { retryAfterMs: 7000 } })

    const date = new Date(Date.now() + 60_000).toUTCString()
    answer = (_, response) => send(response, 429, '', { 'retry-after': date })
    const { details } = await failureOf(open().embed(['a']))
    expect(details.retryAfterMs).toBeGreaterThan(55_000)
    expect(details.retryAfterMs).toBeLessThanOrEqual(60_000)

    answer = (_, response) => send(response, 429, '', { 'retry-after': 'soon' })
    expect((await failureOf(open().embed(['a']))).details).not.toHaveProperty('retryAfterMs')
  })

  test.each([
    [500, 'EMBEDDING_FAILED', true],
    [503, 'EMBEDDING_FAILED', true],
    [408, 'EMBEDDING_FAILED', true],
    [400, 'EMBEDDING_FAILED', false],
    [404, 'EMBEDDING_FAILED', false],
    [307, 'EMBEDDING_FAILED', false],
    [401, 'UNAUTHORIZED', false],
    [403, 'UNAUTHORIZED', false],
  ])('%d is %s, retryable: %s, and is asked once', async (status, code, retryable) => {
    answer = (_, response) =>
      send(response, status, { error: { message: 'why it failed' } }, { location: '/elsewhere' })
    expect(await failureOf(open().embed(['a']))).toMatchObject({ code, retryable, details: { status } })
    expect(received).toHaveLength(1)
  })

  test("the service's reason is told, without the key and the text that it quotes, on one line", async () => {
    answer = ({ authorization, body }, response) =>
      send(response, 400, { error: `bad request\n${authorization} for "${body.input[0]}": model not found` })
    const { message } = await failureOf(open().embed(['the door code is 4711']))
    expect(message).toContain('model not found')
    expect(message).not.toContain('4711')
    expect(message).not.toContain('\n')
  })

  test('a key in the query of the url stays out of the error', async () => {
    answer = (_, response) => send(response, 400, { error: 'no such key q-secret-99' })
    const error = await failureOf(open({ url: `${url}?key=q-secret-99` }).embed(['a']))
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('q-secret-99')
  })

  test('a service that does not answer in time is EMBEDDING_FAILED, retryable', async () => {
    answer = () => {}
    const error = await failureOf(open({ timeoutMs: 50 }).embed(['a']))
    expect(error).toMatchObject({ code: 'EMBEDDING_FAILED', retryable: true })
    expect(error.message).toContain('50 ms')
  })

  test('an answer that stops halfway is EMBEDDING_FAILED, retryable', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"data": [')
      setTimeout(() => response.destroy(), 10)
    }
    expect(await failureOf(open().embed(['a']))).toMatchObject({ code: 'EMBEDDING_FAILED', retryable: true })
  })

  test('a refused connection is EMBEDDING_FAILED, retryable, and says so', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const error = await failureOf(open({ url: `http://127.0.0.1:${port}` }).embed(['a']))
    expect(error).toMatchObject({ code: 'EMBEDDING_FAILED', retryable: true })
    expect(error.message).toContain('ECONNREFUSED')
  })

  test('an error of another fetch that carries the headers does not carry them on', async () => {
    const fetch = async (_: unknown, init?: RequestInit) => {
      throw Object.assign(new Error(`cannot send ${JSON.stringify(init?.headers)}`), { init })
    }
    expect(await failureOf(open({ fetch }).embed(['a']))).toMatchObject({ code: 'EMBEDDING_FAILED' })
  })

  test('an aborted signal ends the request with its reason', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    answer = () => controller.abort(reason)
    await expect(open().embed(['a'], { signal: controller.signal })).rejects.toBe(reason)
  })

  test.each<[string, unknown, string]>([
    ['too few vectors', { data: [{ index: 0, embedding: [1, 0, 0] }] }, '1 vectors for 2 texts'],
    ['an index twice', { data: [1, 1].map((index) => ({ index, embedding: [1, 0, 0] })) }, 'index 1 appears twice'],
    ['an index outside', { data: [0, 2].map((index) => ({ index, embedding: [1, 0, 0] })) }, 'index outside 0 to 1'],
    ['wrong dimensions', { data: [0, 1].map((index) => ({ index, embedding: [1, 0] })) }, '2 dimensions, and 3'],
    ['null for a number', { data: [0, 1].map((index) => ({ index, embedding: [1, null, 0] })) }, 'not finite'],
    ['a number beyond float32', { data: [0, 1].map((index) => ({ index, embedding: [1e300, 0, 0] })) }, 'not finite'],
    [
      'broken base64',
      { data: [0, 1].map((index) => ({ index, embedding: 'AAAA' })) },
      'not a whole number of float32s',
    ],
    ['no vector', { data: [{}, {}] }, 'neither a list of numbers nor base64'],
    ['no data', { object: 'list' }, 'no "data" list'],
    ['a web page', '<html>', 'not JSON'],
  ])('%s in an answer is EMBEDDING_FAILED, not retryable, saying which', async (_, body, problem) => {
    answer = (_request, response) => send(response, 200, body)
    const error = await failureOf(open().embed(['a', 'b']))
    expect(error).toMatchObject({ code: 'EMBEDDING_FAILED', retryable: false })
    expect(error.message).toContain(problem)
  })
})

describe('configuration', () => {
  test.each<[string, Partial<HttpEmbeddingOptions>]>([
    ['url', { url: 'localhost' }],
    ['url', { url: 'ftp://localhost/v1' }],
    ['url', { url: 'http://user:pass@localhost/v1' }],
    ['model', { model: '' }],
    ['dimensions', { dimensions: 0 }],
    ['batchSize', { batchSize: 1.5 }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['apiKey', { apiKey: `${KEY}\nX-Other: 1` }],
  ])('a wrong %s is a CONFIGURATION_ERROR naming it: %j', async (key, options) => {
    const error = await failureOf((async () => open(options))())
    expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { key: `embedding.${key}` } })
  })

  test('the line break at the end of a key from a file does not matter', async () => {
    await open({ apiKey: `${KEY}\n` }).embed(['a'])
    expect(received[0]?.authorization).toBe(`Bearer ${KEY}`)
  })
})
