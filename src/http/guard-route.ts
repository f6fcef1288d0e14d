import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { actingFor } from '../engine/actor.ts'
import type { accessFor } from './access.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { HttpError } from './errors.ts'
import type { CountRequest } from './rate-limit.ts'
import type { Env, RequestContext, Route } from './route.ts'

/** Maximum bytes of a body, unless a route sets its own. */
const DEFAULT_BODY = 1024 * 1024

const TOKEN_NEEDED = 'This server needs a token: send the header Authorization: Bearer TOKEN.'
const OPERATOR_NEEDED =
  'This is for the operator of this machine: open the link that nokosu serve printed, or send the key that it keeps beside the store as a token (NOKOSU_TOKEN).'
const BOUND = 'This token is bound to a part of the store, but this request is about all of it.'

export interface Guards {
  door: Doorkeeper
  accessOf: ReturnType<typeof accessFor>
  count: CountRequest
}

/** Checks a request before its route sees it: authentication, scope, rate and size. */
export function guardRoute(route: Route, { door, accessOf, count }: Guards): MiddlewareHandler<Env> {
  const { needs, unbound = false, maxBody = DEFAULT_BODY } = route
  const limitBody = limitTo(maxBody)
  return async (context, next) => {
    context.set('route', route)
    const caller = needs === 'open' ? null : await door.identify(context)
    if (caller) context.set('access', accessOf(caller, endOf(context)))
    if (needs !== 'open') {
      const isStranger = caller === null || (caller.isAnonymous && (route.signedIn || needs === 'admin'))
      if (isStranger && wantsPage(context, route)) return context.redirect(signInPath(context), 303)
      if (caller && isStranger) throw new HttpError(401, OPERATOR_NEEDED, {}, { 'www-authenticate': 'Bearer' })
      if (!caller) throw new HttpError(401, TOKEN_NEEDED, {}, { 'www-authenticate': 'Bearer' })
      if (!context.get('access').may(needs)) {
        throw new HttpError(403, `This needs a token of scope ${needs}; this one has ${caller.scope}.`, {
          scope: needs,
        })
      }
      if (unbound && Object.keys(caller.identifiers).length > 0) throw new HttpError(403, BOUND, { unbound: true })
    }
    const counted = caller?.via === 'sso' ? `sso ${caller.name}` : caller?.token
    if (counted) count(counted, sizeOf(context, maxBody), caller?.quota?.requestsPerMinute)
    context.set('isStillIn', async () => {
      const now = await door.identify(context).catch(() => null)
      return now !== null && now.token === caller?.token && now.via === caller.via
    })
    return limitBody(context, async () => {
      await door.requireOwnPage(context, caller)
      if (caller === null) return next()
      await actingFor({ by: caller.name, via: caller.via, from: door.addressOf(context) }, next)
    })
  }
}

/**
 * Aborts work for a client that has disconnected. Reads by GET are short; a request with a key is retried, and then finds what was
 * done meanwhile.
 */
function endOf({ req }: RequestContext): AbortSignal | undefined {
  return req.method === 'POST' && req.header('idempotency-key') === undefined ? req.raw.signal : undefined
}

/** Refuses larger bodies. One that states its length is judged by that, without being read; others are counted as they arrive. */
function limitTo(maxSize: number): MiddlewareHandler<Env> {
  const onError = () => {
    throw new HttpError(413, `The body is larger than ${maxSize} bytes.`, { maxLength: maxSize })
  }
  const counted = bodyLimit({ maxSize, onError })
  return (context, next) => {
    const { req } = context
    if (req.header('transfer-encoding') !== undefined) return counted(context, next)
    const length = req.header('content-length')
    if (length === undefined && req.method !== 'GET') return counted(context, next)
    return Number(length ?? 0) > maxSize ? onError() : next()
  }
}

/** The stated size of the body; otherwise the maximum. */
function sizeOf({ req }: RequestContext, most: number): number {
  if (req.method === 'GET' || req.method === 'HEAD') return 0
  return Math.min(most, Number(req.header('content-length') ?? most))
}

/** Whether a person requests a page with a browser: without a sign-in, it shows the form instead of an error. */
function wantsPage({ req }: RequestContext, { method, path }: Route): boolean {
  return method === 'GET' && !path.startsWith('/api/') && (req.header('accept') ?? '').includes('text/html')
}

function signInPath({ req }: RequestContext): string {
  const { pathname, search } = new URL(req.url)
  return `/login?next=${encodeURIComponent(pathname + search)}`
}
