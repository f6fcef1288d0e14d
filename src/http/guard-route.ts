import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { accessFor } from './caller.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { HttpError } from './errors.ts'
import type { Env, Route } from './route.ts'

/** Bytes of a body, where a route does not say otherwise. */
export const DEFAULT_BODY = 1024 * 1024

export interface Guards {
  door: Doorkeeper
  accessOf: ReturnType<typeof accessFor>
  /** Counts a request of a token, or refuses it. */
  count(token: string): void
}

/** What a request passes before a route sees it: who sends it, whether that one may, how often, and how much. */
export function guardRoute(route: Route, { door, accessOf, count }: Guards): MiddlewareHandler<Env> {
  const { needs, maxBody = DEFAULT_BODY } = route
  const limitBody = bodyLimit({
    maxSize: maxBody,
    onError() {
      throw new HttpError(413, 'CONTENT_TOO_LONG', `The body is larger than ${maxBody} bytes.`, {
        details: { maxLength: maxBody },
      })
    },
  })
  return async (context, next) => {
    context.set('route', route)
    const caller = await door.identify(context)
    if (caller) context.set('access', accessOf(caller))
    if (needs !== 'open') {
      if (!caller) throw tokenNeeded()
      if (!context.get('access').may(needs)) throw scopeNeeded(needs, caller.scope)
    }
    if (caller?.token) count(caller.token)
    return limitBody(context, async () => {
      await door.requireOwnPage(context, needs === 'open' ? null : caller)
      await next()
    })
  }
}

function tokenNeeded(): HttpError {
  return new HttpError(401, 'UNAUTHORIZED', 'This server needs a token: send the header Authorization: Bearer TOKEN.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function scopeNeeded(needed: string, scope: string): HttpError {
  return new HttpError(403, 'UNAUTHORIZED', `This needs a token of scope ${needed}; this one has ${scope}.`, {
    details: { scope: needed },
  })
}
