import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { RequestContext } from './route.ts'

export const SIGN_IN_SECONDS = 30 * 86_400

export function cookieOf(context: RequestContext): string | undefined {
  return getCookie(context, nameFor(context))
}

export function giveCookie(context: RequestContext, value: string): void {
  setCookie(context, nameFor(context), value, { ...attributes(context), maxAge: SIGN_IN_SECONDS })
}

export function takeCookie(context: RequestContext): void {
  deleteCookie(context, nameFor(context), attributes(context))
}

/** A browser sends a host's cookies to all its ports: with one name for all, each server of a machine would sign the others out. */
function nameFor({ req }: RequestContext): string {
  const port = /:(\d{1,5})$/.exec(req.header('host') ?? '')?.[1]
  return port === undefined ? 'nokosu' : `nokosu-${port}`
}

function attributes(context: RequestContext) {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isHttps(context) } as const
}

/** Whether the browser uses HTTPS, with the server or with a proxy that reports it. */
function isHttps({ req }: RequestContext): boolean {
  const said = req.header('x-forwarded-proto') ?? /\bproto="?(\w+)/i.exec(req.header('forwarded') ?? '')?.[1]
  const first = said?.split(',')[0]?.trim().toLowerCase()
  return new URL(req.url).protocol === 'https:' || first === 'https'
}
