import { z } from 'zod'
import type { OwnMemories } from '../../engine/nokosu.ts'
import {
  OWN_OPERATIONS,
  type OwnName,
  type RemoteOperation,
  WHOLE_OPERATIONS,
  type WholeName,
} from '../../engine/url/operations.ts'
import { MemoryError } from '../../model/errors.ts'
import { identifiersSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { parseInput } from '../../model/parse.ts'
import { packageVersion } from '../../package/package-version.ts'
import type { Access, RequestClaim } from '../access.ts'
import { readBody } from '../body.ts'
import { HttpError } from '../errors.ts'
import { addAll } from '../rest/bulk-memories.ts'
import type { Route, ServerParts } from '../route.ts'

/** A run's output, an import, or many memories. */
const MOST_BYTES = 32 * 1024 * 1024
const LARGE: ReadonlySet<string> = new Set(['capture', 'import', 'bulkAdd', 'remember', 'record'])

const requestSchema = z.strictObject({
  // Absent arguments travel as null.
  args: z.array(z.unknown().transform((value) => value ?? undefined)).max(4),
  as: z
    .strictObject({
      identifiers: identifiersSchema.exactOptional(),
      everything: z.literal(true).exactOptional(),
      within: identifiersSchema.exactOptional(),
      seesHeld: z.boolean().exactOptional(),
      agent: z.boolean().exactOptional(),
    })
    .default({}),
})
const claimSchema = z.looseObject({ identifiers: identifiersSchema.optional(), everything: z.literal(true).optional() })

/** Only the identifiers of each: the engine reads the rest. */
const memoriesSchema = z.strictObject({
  memories: z
    .array(
      z.union([
        z.string().transform((content) => ({ content })),
        z.looseObject({ identifiers: identifiersSchema.optional() }),
      ]),
    )
    .max(LIMITS.bulk),
})
const linesSchema = z.strictObject({ lines: z.array(z.string()) })

type Call = (...args: unknown[]) => Promise<unknown>

/**
 * The engine's own operations, for machines that use this server as their store (`NOKOSU_DB=https://this-server`). One call is one request.
 * Access is decided here, by the token; see docs/decisions/016-store-by-url.md.
 */
export function engineRoutes({ memory }: ServerParts): Route[] {
  const { capabilities, settings, embedding } = memory
  const about: Route = {
    method: 'GET',
    path: '/api/engine',
    needs: 'read',
    summary: 'Describes this server, and what the token gives access to',
    handle(context) {
      const { name, scope, identifiers } = context.get('access').caller
      const model = { name: embedding.name, dimensions: embedding.dimensions }
      const caller = { name, scope, identifiers }
      return context.json({ value: { version: packageVersion(), caller, capabilities, settings, model } })
    },
  }
  const own = Object.entries(OWN_OPERATIONS).map(([name, operation]) =>
    route(name, operation, async (context) => {
      const access = context.get('access')
      const { args, as } = await readBody(context, requestSchema)
      if (name === 'context' || name === 'recall') requireRecorder(access, args[0])
      const call = prepare(access, name as OwnName, operation, args, as)
      if (name === 'export') return stream(call() as unknown as AsyncIterable<string>)
      const value = await call()
      return context.json({ value: value instanceof Float32Array ? [...value] : (value ?? null) })
    }),
  )
  const whole = Object.entries(WHOLE_OPERATIONS).map(([name, operation]) =>
    route(name, operation, async (context) => {
      const { args } = await readBody(context, requestSchema)
      if (name === 'import') args[0] = linesOf(args[0])
      const value = await callOf(memory, name as WholeName)(...args)
      return context.json({ value: value ?? null })
    }),
  )
  return [about, ...own, ...whole]
}

function route(name: string, { needs, whole }: RemoteOperation, handle: Route['handle']): Route {
  return {
    method: 'POST',
    path: `/api/engine/${name}`,
    needs,
    ...(whole ? { unbound: true } : {}),
    summary: `The engine’s ${name}, for other machines`,
    ...(LARGE.has(name) ? { maxBody: MOST_BYTES } : {}),
    handle,
  }
}

/** Makes the call on an engine limited by the token and the arguments. */
function prepare(
  access: Access,
  name: OwnName,
  operation: RemoteOperation,
  args: readonly unknown[],
  as: z.output<typeof requestSchema>['as'],
): () => Promise<unknown> {
  const { claim: positions = [] } = operation
  const byId = operation.byId === true
  const needsClaim = positions.length > 0
  const isBound = Object.keys(access.caller.identifiers).length > 0
  const open = (claim: RequestClaim) => access.remote({ as, claim, byId, needsClaim })
  if (name === 'bulkAdd' && isBound && as.identifiers === undefined) {
    const memories = parseInput(memoriesSchema, { memories: args[0] }, 'bulkAdd').memories as never
    return () => addAll((identifiers) => open({ identifiers }), memories, (args[1] ?? {}) as object)
  }
  const { claim, rest } = takeClaim(name, positions, args)
  // An unbound token calls with the arguments as they are, which contain the identifiers.
  const call = callOf(open(claim), name)
  return () => call(...(isBound ? rest : args))
}

/** The identifiers of a call, and its arguments without them. */
function takeClaim(
  name: OwnName,
  positions: readonly number[],
  args: readonly unknown[],
): { claim: RequestClaim; rest: unknown[] } {
  if (name === 'beginSession' || name === 'endSession') return takeSession(args, name === 'beginSession' ? 0 : 1)
  if (name === 'record') {
    const { projectId } = (args[0] ?? {}) as { projectId?: unknown }
    return { claim: typeof projectId === 'string' ? { identifiers: { projectId } } : {}, rest: [...args] }
  }
  if (name === 'prune') {
    const { identifiers } = claimSchema.safeParse(args[0]).data ?? {}
    return { claim: identifiers === undefined ? {} : { identifiers }, rest: [...args] }
  }
  const claim: RequestClaim = {}
  const rest = args.map((value, i) => {
    if (!positions.includes(i) || typeof value !== 'object' || value === null) return value
    const parsed = claimSchema.safeParse(value)
    // The engine reports what is wrong with it.
    if (!parsed.success) return value
    const { identifiers, everything, ...others } = parsed.data
    if (identifiers !== undefined) claim.identifiers = identifiers
    if (everything !== undefined) claim.everything = everything
    return others
  })
  return { claim, rest }
}

/** A session has its own fields for project and agent. */
function takeSession(args: readonly unknown[], at: number): { claim: RequestClaim; rest: unknown[] } {
  const given = args[at]
  if (typeof given !== 'object' || given === null) return { claim: {}, rest: [...args] }
  const { agent, project, ...others } = given as { agent?: unknown; project?: unknown }
  const identifiers: Identifiers = {
    ...(typeof agent === 'string' ? { agentId: agent } : {}),
    ...(typeof project === 'string' ? { projectId: project } : {}),
  }
  const claim = Object.keys(identifiers).length === 0 ? {} : { identifiers }
  return { claim, rest: args.map((value, i) => (i === at ? others : value)) }
}

/** `personality.get` is a method of `personality`. */
function callOf(engine: object, name: string): Call {
  const [first, second] = name.split('.') as [keyof OwnMemories, string?]
  const part = engine as Record<string, unknown>
  if (second === undefined) return (part[first] as Call).bind(engine)
  const group = part[first] as Record<string, Call>
  return group[second]!.bind(group)
}

function requireRecorder(access: Access, request: unknown): void {
  const { session, record } = (request ?? {}) as { session?: unknown; record?: unknown }
  if (session === undefined || record === false || access.may('write')) return
  const message = 'Recording what a session is shown needs a token of scope write. Leave session out.'
  throw new HttpError(403, message, { scope: 'write', field: 'session' })
}

async function* linesOf(lines: unknown): AsyncGenerator<string> {
  yield* parseInput(linesSchema, { lines }, 'import').lines
}

/** Streams lines. The last one, without a line break, says that all lines were sent, or what went wrong. */
function stream(lines: AsyncIterable<string>): Response {
  const encoder = new TextEncoder()
  const reader = lines[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.next()
        controller.enqueue(encoder.encode(done ? '{"end":true}' : `${value}\n`))
        if (done) controller.close()
      } catch (error) {
        const failure = MemoryError.is(error) ? error : new MemoryError('PROVIDER_ERROR', 'The export failed.')
        controller.enqueue(encoder.encode(JSON.stringify({ error: failure.toJSON() })))
        controller.close()
      }
    },
    cancel: async () => void (await reader.return?.()),
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}
