import { z } from 'zod'
import { MemoryError } from '../../model/errors.ts'
import { text } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { sessionActor, sessionOf } from '../../model/once-keys.ts'
import { parseInput } from '../../model/parse.ts'
import { packageVersion } from '../../package/package-version.ts'
import { METHODS } from '../../storage/http/methods.ts'
import { type Access, TOKEN_SCOPES } from '../access.ts'
import { readBody } from '../body.ts'
import { errorSchema } from '../rest/answers.ts'
import type { Route, ServerParts } from '../route.ts'
import type { StorageHost } from './storage-host.ts'

/** A commit of the most bytes that a client sends, with its vectors. */
const MOST_BYTES = 32 * 1024 * 1024

const modelSchema = z.strictObject({ name: text(LIMITS.identifier), dimensions: z.int().min(1).max(65_536) })
const requestSchema = z.strictObject({ model: modelSchema, args: z.array(z.unknown()) })
const aboutSchema = z.strictObject({
  capabilities: z.looseObject({}),
  version: z.string(),
  caller: z.strictObject({ name: z.string(), scope: z.enum(TOKEN_SCOPES) }),
})
const refused = { 501: { description: 'This server does not offer its store', schema: errorSchema } }
const tag = 'Store by URL'

type Method = keyof typeof METHODS
const SUMMARIES: Readonly<Record<Method, string>> = {
  initialize: 'Opens the store for vectors of a model',
  ping: 'Whether the store answers',
  commit: 'Writes, all or nothing. Of documents, and of what was held for review: admin',
  known: 'Which of these commit keys are there',
  get: 'Memories by id',
  memories: 'A page of memories; without scopes: admin',
  search: 'Memories near a vector or with these words; without scopes: admin',
  embeddings: 'The vectors of these contents',
  changes: 'A page of history; of all memories: admin',
  sessions: 'A page of runs; of all: admin',
  injections: 'A page of showings; of all: admin',
  events: 'A page of events; of all: admin',
  documents: 'Agents, the directory, and for an admin tokens',
  stats: 'How much the store holds',
  tally: 'Memories in figures; without scopes: admin',
  purge: 'Removes for good; admin',
}

/**
 * The store itself, for machines that use it as theirs (`NOKOSU_DB=https://this-server`): the engine runs there. See
 * docs/decisions/016-store-by-url.md.
 */
export function storageRoutes({ storageHost }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/storage',
      needs: 'write',
      unbound: true,
      summary: 'What the store can do',
      api: {
        operation: 'getStore',
        tag,
        answers: {
          200: {
            description: 'Its capabilities, the server’s version, and what the token opens',
            schema: z.strictObject({ value: aboutSchema }),
          },
          ...refused,
        },
      },
      async handle(context) {
        const access = context.get('access')
        const host = requireHost(storageHost)
        const { name, scope } = access.caller
        const capabilities = await host.capabilities()
        return context.json({ value: { capabilities, version: packageVersion(), caller: { name, scope } } })
      },
    },
    ...(Object.keys(METHODS) as Method[]).map((name) => callRoute(name, storageHost)),
  ]
}

function callRoute(name: Method, storageHost: StorageHost | undefined): Route {
  const called = METHODS[name]
  return {
    method: 'POST',
    path: `/api/storage/${name}`,
    needs: 'write',
    unbound: true,
    summary: SUMMARIES[name],
    api: {
      operation: `store_${name}`,
      tag,
      body: requestSchema.extend({ args: called.args }),
      answers: {
        200: { description: 'What the store answers', schema: z.strictObject({ value: z.unknown() }) },
        ...refused,
      },
    },
    maxBody: MOST_BYTES,
    async handle(context) {
      const access = context.get('access')
      const host = requireHost(storageHost)
      const { model, args: given } = await readBody(context, requestSchema)
      const args = parseInput(called.args, given, name)
      const storage = await host.at(model)
      const needs = access.may('admin') ? 'admin' : await called.needs(args, storage)
      if (!access.may(needs)) throw scopeNeeded(needs, access)
      return context.json({ value: await called.run(storage, signed(args, access)) })
    },
  }
}

function requireHost(host: StorageHost | undefined): StorageHost {
  if (host) return host
  throw new MemoryError('UNSUPPORTED', 'This server does not offer its store to other machines.')
}

function scopeNeeded(needs: string, { caller }: Access): MemoryError {
  return new MemoryError(
    'UNAUTHORIZED',
    `This reaches the whole store, or is an operator’s to decide: it needs a token of scope ${needs}; this one has ${caller.scope}.`,
    {
      details: { scope: needs },
    },
  )
}

/** In the history stands the token, and beside it the session that it speaks for. */
function signed(args: unknown, { caller }: Access): unknown {
  const [commit] = args as [{ by?: unknown; writes?: unknown }?]
  if (caller.token === null || typeof commit?.by !== 'string' || commit.writes === undefined) return args
  const session = sessionOf(commit.by)
  return [{ ...commit, by: session === null ? caller.name : sessionActor(session, caller.name) }]
}
