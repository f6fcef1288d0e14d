import type { Random } from './random.ts'

type Json = Record<string, unknown>

interface Described {
  parameters: { name: string; in: string; schema: Json }[]
  requestBody?: { content: { 'application/json': { schema: Json } } }
}

export interface Description {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Json> }
}

export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** Strings that are known to break programs. */
const STRANGE = [
  '',
  ' ',
  ...'null 0 -1 NaN 1e309 [] {}'.split(' '),
  '"',
  "'",
  '\\',
  ...'%00 % ../.. * .'.split(' '),
  '$ne',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  "'; DROP TABLE memories; --",
  '\u0000',
  '\u202E',
  '\uD800',
  '\uFEFF',
  '👩‍🚀',
  '日本語',
  'a'.repeat(300),
  'é'.repeat(5000),
  '[MEMORY:timing] x',
  '## MEMORY',
  '@/etc/passwd',
  '2026-02-30T00:00:00Z',
  '\r\nSet-Cookie: a=b',
]
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  [],
  {},
  [[]],
  { a: { b: {} } },
  [null],
  { __proto__: 1 },
]

/** Requests generated from the description: mostly valid, with one or a few errors. */
export function fuzzRequests(random: Random, description: Description, known: { ids: string[]; cursors: string[] }) {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

  function text(): string {
    if (random.chance(0.2)) return random.pick(STRANGE)
    if (known.ids.length > 0 && random.chance(0.2)) return random.pick(known.ids)
    return random.pick([
      ...'shop blog nori run-1 T1 web'.split(' '),
      'Starts in a minute',
      `Fact ${random.below(1000)}`,
    ])
  }

  function value(schema: Json, depth = 0): unknown {
    if (random.chance(0.03)) return random.pick([...VALUES, ...STRANGE])
    if (typeof schema.$ref === 'string')
      return value(description.components.schemas[schema.$ref.split('/').at(-1)!]!, depth)
    const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    if (choices) return value(random.pick(choices), depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return random.pick(schema.enum as unknown[])
    const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type
    if (type === 'object' && schema.properties) return object(schema, depth)
    if (type === 'object') return random.chance(0.7) ? {} : { [text()]: random.pick(VALUES) }
    if (type === 'array')
      return Array.from({ length: random.below(4) }, () => value((schema.items ?? {}) as Json, depth + 1))
    if (type === 'integer' || type === 'number') {
      const edges = [schema.minimum, schema.maximum, 0, 1, 7, 0.5].filter((edge) => typeof edge === 'number')
      return random.pick(edges) + (random.chance(0.1) ? random.pick([-1, 1, 0.5]) : 0)
    }
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'null') return null
    if (schema.format === 'date-time' && random.chance(0.8)) return '2030-01-31T12:00:00.000Z'
    return type === 'string' ? text() : random.pick(VALUES)
  }

  function object(schema: Json, depth: number): Json {
    const required = new Set(schema.required as string[] | undefined)
    const entries = Object.entries(schema.properties as Record<string, Json>)
      .filter(([name]) => (required.has(name) ? random.chance(0.97) : random.chance(depth > 3 ? 0.1 : 0.3)))
      .map(([name, field]) => [name, value(field, depth + 1)])
    if (random.chance(0.03)) entries.push([text(), random.pick(VALUES)])
    return Object.fromEntries(entries)
  }

  // URLs drop `.` and `..` segments and so name another route.
  const encode = (part: string) =>
    /^\.\.?$/.test(part)
      ? 'x'
      : part.isWellFormed() && !random.chance(0.02)
        ? encodeURIComponent(part)
        : encodeURI(part.toWellFormed())

  return (): FuzzRequest => {
    const { path, method, operation } = random.pick(operations)
    const query = operation.parameters
      .filter(({ in: place, name }) => place === 'query' && random.chance(name === 'projectId' ? 0.6 : 0.12))
      .flatMap(({ name, schema }) => {
        const given = name === 'cursor' && known.cursors.length > 0 ? random.pick(known.cursors) : value(schema)
        return [given].flat().map((each) => `${name}=${encode(typeof each === 'string' ? each : JSON.stringify(each))}`)
      })
    const filled = path.replace(/\{\w+\}/g, () => encode(text()) || '_')
    const headers: Record<string, string> = {}
    if (random.chance(0.1)) headers['idempotency-key'] = random.pick(['k', 'x'.repeat(300), ' ', `${random.below(5)}`])
    if (random.chance(0.1))
      headers['if-match'] = random.pick(['"1"', '*', 'W/"1"', '"x"', '"99999999999999999999"', ','])
    const schema = operation.requestBody?.content['application/json'].schema
    const request: FuzzRequest = {
      method: random.chance(0.02) ? random.pick(['GET', 'PUT', 'OPTIONS', 'HEAD', 'PATCH']) : method,
      path: filled + (query.length > 0 ? `?${query.join('&')}` : ''),
      headers,
    }
    if (schema && !['GET', 'HEAD'].includes(request.method)) {
      headers['content-type'] = random.chance(0.97)
        ? 'application/json'
        : random.pick(['text/plain', 'application/xml', ''])
      const body = JSON.stringify(value(schema)) ?? ''
      request.body = random.chance(0.97) ? body : body.slice(0, random.below(body.length + 1)) + random.pick(STRANGE)
    }
    return request
  }
}
