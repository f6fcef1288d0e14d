import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { onTestFinished } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { Route } from '../../src/http/route.ts'
import { createServer, type ServerOptions } from '../../src/http/server.ts'
import type { Identifiers } from '../../src/model/layer.ts'
import { createLogger } from '../../src/observe/log.ts'
import { startTelemetry } from '../../src/observe/telemetry.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Any JSON; tests assert what they expect. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects.
  json: any
}

export interface CallOptions {
  /** Default: the operator of this machine, if the server requires no token. */
  token?: string
  /** No credentials at all. */
  anonymous?: true
  body?: unknown
  headers?: Record<string, string>
  /** A raw body instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>
}

/** For every server that a test opens. */
export const OPERATOR_KEY = `nko_${'a'.repeat(43)}`

interface Options extends Partial<ServerOptions> {
  backend?: Storage
  now?: () => Date
}

/** A server with its own memory. Every API answer is validated against the OpenAPI description. */
export async function openServer({ backend = referenceStorage(), now, ...options }: Options = {}) {
  const metrics = await startTelemetry()
  const lines: string[] = []
  const memory = await openMemory({
    storage: backend,
    embedding: { kind: 'hashing' },
    relations: null,
    ...(now ? { now } : {}),
  })
  const server = createServer(memory, {
    metrics,
    log: createLogger('info', (line) => lines.push(line)),
    store: '/some/where.db',
    command: 'nokosu',
    project: null,
    host: '127.0.0.1',
    requireToken: false,
    operatorKey: OPERATOR_KEY,
    ...options,
  })
  onTestFinished(async () => {
    await server.close()
    await memory.shutdown()
    await metrics.close()
  })
  held ??= describedAnswers(server.app)
  const described = await held

  async function call(
    method: string,
    path: string,
    { token, anonymous, body, headers = {}, raw }: CallOptions = {},
  ): Promise<Answer> {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const isOperator = !options.requireToken && token === undefined && !anonymous
    const signed =
      isOperator && !['cookie', 'authorization', 'origin', 'sec-fetch-site'].some((name) => name in headers)
    const credential = signed ? OPERATOR_KEY : token
    const response = await server.app.request(path, {
      method,
      headers: {
        host: 'localhost:4816',
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(content === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    })
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
    const answer = { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
    described(method, path, answer)
    return answer
  }
  const token = async (scope: 'read' | 'write' | 'admin', identifiers: Identifiers = {}, name: string = scope) =>
    (await memory.tokens.create({ name, scope, identifiers })).secret
  return { memory, ...server, call, token, lines }
}

type Description = {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>>
}

/** All servers of a test file have the same description, and reading it is slow. */
let held: ReturnType<typeof describedAnswers> | null = null

/** Throws if an API answer does not match `/openapi.json`. */
async function describedAnswers(app: { request(path: string, init: RequestInit): Response | Promise<Response> }) {
  const response = await app.request('/openapi.json', { headers: { host: 'localhost' } })
  const description = (await response.json()) as Description
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'api', ...description })
  const templates = Object.keys(description.paths).sort((a, b) => a.split('{').length - b.split('{').length)
  return (method: string, path: string, { status, json, text }: Answer): void => {
    const pathname = path.split('?')[0]!
    const template = templates.find((each) => new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
    const operation = template && description.paths[template]![method.toLowerCase()]
    if (!operation) return
    const expected = operation.responses[status]
    if (!expected) throw new Error(`${method} ${path} answered ${status}, which is not described: ${text}`)
    const schema = expected.content?.['application/json']
    if (!schema) return
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      status,
      'content',
      'application/json',
      'schema',
    ]
    const validate = ajv.getSchema(
      `api#/${pointer.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
    )
    if (!validate!(json))
      throw new Error(`${method} ${path}: ${JSON.stringify(validate!.errors)} in ${text.slice(0, 500)}`)
  }
}

/** A route's path with example values for its parameters. */
export function examplePath({ path }: Route, parameters: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? 'nori')
}
