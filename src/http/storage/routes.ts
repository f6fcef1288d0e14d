import { z } from 'zod'
import { MemoryError } from '../../model/errors.ts'
import { text } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { sessionActor, sessionOf } from '../../model/once-keys.ts'
import { parseInput } from '../../model/parse.ts'
import { METHODS } from '../../storage/http/methods.ts'
import type { Access } from '../caller.ts'
import { HttpError } from '../errors.ts'
import { readBody } from '../request.ts'
import type { Route, ServerParts } from '../route.ts'
import type { StorageHost } from './storage-host.ts'

/** A commit of the most bytes that a client sends, with its vectors. */
const MOST_BYTES = 32 * 1024 * 1024

const requestSchema = z.strictObject({
  model: z.strictObject({ name: text(LIMITS.identifier), dimensions: z.int().min(1).max(65_536) }),
  args: z.array(z.unknown()),
})

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
      summary: 'What the store can do, for a store by URL.',
      async handle(context) {
        const host = requireHost(storageHost, context.get('access'))
        return context.json({ value: { capabilities: await host.capabilities() } })
      },
    },
    {
      method: 'POST',
      path: '/api/storage/:method',
      needs: 'write',
      summary:
        'A call of a store by URL. The token must be bound to nothing; what reaches the whole store needs scope admin.',
      maxBody: MOST_BYTES,
      async handle(context) {
        const access = context.get('access')
        const host = requireHost(storageHost, access)
        const name = context.req.param('method')!
        const called = Object.hasOwn(METHODS, name) ? METHODS[name as keyof typeof METHODS] : null
        if (called === null) throw new HttpError(404, 'UNSUPPORTED', `A store has no method ${name.slice(0, 40)}.`)
        const { model, args: given } = await readBody(context, requestSchema)
        const args = parseInput(called.args, given, name)
        const storage = await host.at(model)
        const needs = access.may('admin') ? 'admin' : await called.needs(args, storage)
        if (!access.may(needs)) throw scopeNeeded(needs, access)
        const value = await called.run(storage, signed(args, access))
        return context.json({ value })
      },
    },
  ]
}

function requireHost(host: StorageHost | undefined, { caller }: Access): StorageHost {
  if (Object.keys(caller.identifiers).length > 0) {
    throw new MemoryError(
      'UNAUTHORIZED',
      'This token is bound to a part of the store, and cannot be used as one of its machines.',
    )
  }
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
