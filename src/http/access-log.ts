import type { MiddlewareHandler } from 'hono'
import type { Logger } from '../observe/log.ts'
import type { Env } from './route.ts'

/** One line for each request. It names the route and the caller, and nothing that the request or the answer holds. */
export function logRequest(log: Logger): MiddlewareHandler<Env> {
  return async (context, next) => {
    const start = performance.now()
    await next()
    const { status } = context.res
    const ms = Math.round((performance.now() - start) * 10) / 10
    const facts = {
      method: context.req.method,
      route: context.get('route')?.path ?? null,
      status,
      ms,
      by: context.get('access')?.caller.name ?? null,
    }
    if (status >= 500) log.warn(facts, 'request')
    else log.info(facts, 'request')
  }
}
