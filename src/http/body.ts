import { z } from 'zod'
import { breathe } from '../model/breathe.ts'
import { identifiersSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import type { RequestClaim } from './access.ts'
import { HttpError } from './errors.ts'
import { refuseIntricate } from './refuse-intricate.ts'
import type { RequestContext } from './route.ts'

export interface BodyReader<Body> {
  schema: z.ZodType
  read(context: RequestContext): Promise<Body>
}

export function checked<Schema extends z.ZodType>(schema: Schema): BodyReader<z.output<Schema>> {
  return { schema, read: (context) => readBody(context, schema) }
}

/**
 * An object of the schema's type. The engine checks its fields, with the same schema and the
 * store's limits, so they are not checked twice.
 */
export function unchecked<Schema extends z.ZodType>(schema: Schema): BodyReader<z.input<Schema>> {
  return { schema, read: async (context) => (await readBody(context, anObject)) as z.input<Schema> }
}

export function claimed<Schema extends z.ZodType>(
  schema: Schema,
): BodyReader<{ claim: RequestClaim; rest: Asked<z.input<Schema>> }> {
  return {
    schema,
    async read(context) {
      const { identifiers, everything, ...rest } = await readBody(context, bodyClaim)
      return { claim: { identifiers, everything }, rest: rest as Asked<z.input<Schema>> }
    },
  }
}

/** A body without its identifiers. Distributes, so that a union stays one. */
type Asked<Input> = Input extends unknown ? Omit<Input, keyof RequestClaim> : never

const anObject = z.looseObject({}, 'must be an object')
const bodyClaim = z.looseObject({ identifiers: identifiersSchema.optional(), everything: z.literal(true).optional() })

/** Bytes that are parsed quickly, whatever they contain. */
const LARGE = 64 * 1024
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
const decoder = new TextDecoder('utf-8', { fatal: true })

export async function readBody<Schema extends z.ZodType>(
  { req }: RequestContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const type = req.header('content-type') ?? ''
  if (!JSON_TYPE.test(type)) {
    const message = 'Send JSON, with the header Content-Type: application/json.'
    throw new HttpError(415, message, { header: 'content-type' })
  }
  return parseInput(schema, await parseJson(new Uint8Array(await req.arrayBuffer())), 'request')
}

/** The fields of a form; a repeated name is a list with `all`. */
export async function readForm({ req }: RequestContext, options: { all?: boolean } = {}) {
  return req.parseBody(options).catch((): never => {
    throw new HttpError(400, 'The body is not a form.', { field: 'body' })
  })
}

/** A large body is inspected before it is parsed, because parsing cannot be interrupted: deeply nested or finely divided JSON takes seconds. */
async function parseJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length > LARGE) await refuseIntricate(bytes)
  try {
    const text = decoder.decode(bytes)
    await breathe()
    return JSON.parse(text) as unknown
  } catch (error) {
    const kind = error instanceof SyntaxError ? 'JSON' : 'UTF-8'
    throw new HttpError(400, `The body is not ${kind}.`, { field: 'body' })
  }
}
