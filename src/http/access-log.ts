import type { MiddlewareHandler } from 'hono'
import type { Logger } from '../observe/log.ts'
import { inServerSpan } from '../observe/trace.ts'
import type { Env } from './route.ts'

/** One span and one line for each request. Both name the route and the caller, but no content of the request or the answer. */
export function logRequest(log: Logger): MiddlewareHandler<Env> {
  return (context, next) =>
    inServerSpan(
      context.req.method,
      (name) => context.req.header(name),
      async (span) => {
        const start = performance.now()
        await next()
        const { method } = context.req
        const { status } = context.res
        const route = context.get('route')?.path ?? null
        const by = context.get('access')?.caller.name ?? null
        span.updateName(`${method} ${route ?? 'unknown'}`)
        span.setAttributes({
          'http.request.method': method,
          'http.response.status_code': status,
          ...(route === null ? {} : { 'http.route': route }),
          ...(by === null ? {} : { 'nokosu.caller': by }),
        })
        const facts = { method, route, status, ms: Math.round((performance.now() - start) * 10) / 10, by }
        if (status >= 500) log.warn(facts, 'request')
        else log.info(facts, 'request')
      },
    )
}
