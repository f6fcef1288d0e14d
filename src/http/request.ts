import { createHash } from 'node:crypto'
import { z } from 'zod'
import { identifiersSchema } from '../model/fields.ts'
import { IDENTIFIER_NAMES, type IdentifierName, type Identifiers } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { parseInput } from '../model/parse.ts'
import type { RequestClaim } from './access.ts'
import { HttpError } from './errors.ts'
import type { RequestContext } from './route.ts'

/** The query, parsed with a schema: a repeated name is a list. Unknown names are refused. */
export function readQuery<Schema extends z.ZodType>({ req }: RequestContext, schema: Schema): z.output<Schema> {
  const given = Map.groupBy(new URL(req.url).searchParams, ([name]) => name)
  const query = Object.fromEntries(
    [...given].map(([name, pairs]) => [name, pairs.length === 1 ? pairs[0]![1] : pairs.map(([, value]) => value)]),
  )
  return parseInput(schema, query, 'query')
}

export function numeric<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(schema as z.ZodType<z.output<Schema>, number>)
    .optional()
}

/** A list in a query: the name is repeated for each item. */
export function several<Schema extends z.ZodType>(schema: Schema) {
  return z
    .union([z.string().transform((value) => [value]), z.array(z.string())])
    .pipe(schema as z.ZodType<z.output<Schema>, string[]>)
    .optional()
}

export const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .pipe(z.boolean())
  .optional()

/** The identifiers in a query: `projectId=shop`, or `everything=true`. */
export const claimQuery = { ...identifiersSchema.shape, everything: flag }
export const claimOnly = z.strictObject(claimQuery)
/** The same, with the page of sessions, events or changes. */
export const pageQuery = z.strictObject({
  ...claimQuery,
  limit: numeric(z.int().min(1).max(LIMITS.pageLimit)),
  cursor: z.string().max(1024).optional(),
})

export function splitClaim<Query extends Identifiers & { everything?: boolean | undefined }>(query: Query) {
  const claim: RequestClaim = { identifiers: {}, everything: query.everything }
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || name === 'everything') continue
    if (isIdentifier(name)) claim.identifiers![name] = value as string
    else rest[name] = value
  }
  return { claim, rest: rest as Omit<Query, IdentifierName | 'everything'> }
}

function isIdentifier(name: string): name is IdentifierName {
  return (IDENTIFIER_NAMES as readonly string[]).includes(name)
}

const MOST_KEY = 255

/**
 * Makes a write repeatable. A key belongs to its caller, and to the request that it first came with,
 * whatever its result: another route, query or body with the same key is a CONFLICT.
 */
export async function repeatable(context: RequestContext): Promise<{ key?: string }> {
  const key = context.req.header('idempotency-key')
  if (key === undefined) return {}
  if (key.trim() === '' || key.length > MOST_KEY) {
    const message = `Invalid Idempotency-Key: must have 1 to ${MOST_KEY} characters.`
    throw new HttpError(400, message, { header: 'idempotency-key' })
  }
  const { caller, bindKey } = context.get('access')
  const own = createHash('sha256')
    .update(JSON.stringify([caller.name, key]))
    .digest('hex')
  const { method, url } = context.req
  const { pathname, search } = new URL(url)
  const body = createHash('sha256').update(new Uint8Array(await context.req.arrayBuffer()))
  await bindKey(own, JSON.stringify([method, pathname, search, body.digest('hex')]))
  return { key: own }
}

/** The version required by `If-Match`; `*` is any. */
export function expectedVersion({ req }: RequestContext): { version?: number } {
  const header = req.header('if-match')
  if (header === undefined || header.trim() === '*') return {}
  const version = /^\s*"(\d{1,15})"\s*$/.exec(header)?.[1]
  if (version === undefined || Number(version) < 1) {
    throw new HttpError(400, 'Invalid If-Match: send the ETag of one answer, such as "3".', { header: 'if-match' })
  }
  return { version: Number(version) }
}

export function etag({ version }: { version: number }): string {
  return `"${version}"`
}
