import { z } from 'zod'
import { $ZodRegistry } from 'zod/v4/core'
import { schemas } from '../engine/schemas.ts'
import { identifiersSchema } from '../model/fields.ts'
import { memorySchema } from '../model/memory.ts'
import { personalitySchema, profileSchema } from '../model/personality.ts'
import { searchResultSchema } from '../model/provider.ts'
import { changeSchema, sessionSchema, workflowEventSchema } from '../model/records.ts'
import { errorSchema } from './rest/answers.ts'
import type { ApiDescription, Route } from './route.ts'

type Json = Record<string, unknown>

/** Named schemas, so that generated clients have types with these names. By their inner part: a schema may be wrapped. */
const NAMES = new Map<unknown, string>(
  Object.entries({
    Memory: memorySchema,
    Identifiers: identifiersSchema,
    SearchResult: searchResultSchema,
    MemoryPage: schemas.list.output,
    Change: changeSchema,
    Session: sessionSchema,
    WorkflowEvent: workflowEventSchema,
    Personality: personalitySchema,
    Profile: profileSchema,
    Error: errorSchema,
  }).map(([name, schema]) => [schema._zod, name]),
)

/** The schemas' own metadata, and these names. Other users of the schemas do not need the names. */
class Names extends $ZodRegistry<z.core.GlobalMeta> {
  override get<Schema extends z.core.$ZodType>(schema: Schema) {
    const id = NAMES.get(schema._zod)
    const known = z.globalRegistry.get(schema)
    return (id === undefined ? known : { ...known, id }) as z.core.$replace<z.core.GlobalMeta, Schema> | undefined
  }
}
const named = new Names()

const FAILURES: Record<string, string> = {
  400: 'The request is invalid; `details` names the field',
  401: 'A token is needed, or the one sent is not valid',
  403: 'The token does not allow this',
  404: 'It does not exist, or this caller cannot see it',
  409: 'It was changed in the meantime, or the key was used for something else',
  412: 'The version does not match If-Match',
  413: 'Too large',
  415: 'The body is not JSON',
  429: 'Too many requests; Retry-After says when to retry',
  503: 'The store does not answer',
}

export function describeApi(routes: readonly Route[], version: string): Json {
  const components: Json = {}
  const toSchema: ToSchema = (schema, io) => {
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, { io, metadata: named, target: 'draft-2020-12' }) as Json
    for (const [name, definition] of Object.entries($defs as Json)) components[name] ??= hoist(definition as Json)
    return hoist(json)
  }
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (!route.api) continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, route.api, toSchema) }
  }
  toSchema(errorSchema, 'output')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nokosu',
      version,
      description: 'Persistent memory for fleets of agents. Every failure has the shape of `Error`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, {}],
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: '`nokosu token create` makes one.' } },
    },
  }
}

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Json

function describe(route: Route, api: ApiDescription, toSchema: ToSchema): Json {
  const failed = Object.entries(FAILURES)
    .filter(([status]) => mayFail(route, status))
    .map(([status, description]) => [status, { description, ...content({ $ref: '#/components/schemas/Error' }) }])
  const answers = Object.entries(api.answers).map(([status, { description, schema, type }]) => [
    status,
    { description, ...(schema === null ? {} : content(toSchema(schema, 'output'), type)) },
  ])
  return {
    operationId: api.operation,
    tags: [api.tag],
    summary: route.summary,
    description: route.needs === 'open' ? 'Needs no token.' : `Needs scope ${route.needs}.`,
    ...(route.needs === 'open' ? { security: [] } : {}),
    parameters: parametersOf(route, api, toSchema),
    ...(api.body ? { requestBody: { required: true, ...content(toSchema(api.body, 'input')) } } : {}),
    responses: Object.fromEntries([...failed, ...answers]),
  }
}

function mayFail({ method, path, needs, api }: Route, status: string): boolean {
  // A request without input and authentication only fails for a wrong host name.
  if (needs === 'open') return status === '403'
  if (status === '404') return path.includes(':')
  if (status === '409') return method !== 'GET'
  if (status === '412') return path.endsWith('/:id') && method !== 'GET'
  return (status !== '413' && status !== '415') || api?.body !== undefined
}

function parametersOf({ method, path }: Route, { query }: ApiDescription, toSchema: ToSchema): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const { properties = {} } = query ? toSchema(query, 'output') : {}
  const header = (name: string, description: string) => [
    { name, in: 'header', description, schema: { type: 'string' } },
  ]
  const isRepeatable = method === 'POST'
  const isConditional = method !== 'GET' && path.endsWith('/:id')
  return [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } })),
    ...Object.entries(properties as Json).map(([name, schema]) => ({ name, in: 'query', schema })),
    ...(isRepeatable ? header('Idempotency-Key', 'A repeated key changes nothing and returns the first answer') : []),
    ...(isConditional ? header('If-Match', 'The ETag of the version to change') : []),
  ]
}

function content(schema: Json, type = 'application/json'): Json {
  return { content: { [type]: { schema } } }
}

/** Definitions are in one place for the whole description. */
function hoist(schema: Json): Json {
  const { id: _, ...json } = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json
  return json
}
