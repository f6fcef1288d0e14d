import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { COOKIE, type Doorkeeper, SIGN_IN_SECONDS, unknownToken } from './doorkeeper.ts'
import type { RequestContext, Route } from './route.ts'

/** Signing in to the pages: a token becomes a cookie. `GET /login`, the form, is one of the pages. */
export function signInRoutes(door: Doorkeeper): Route[] {
  return [
    {
      method: 'POST',
      path: '/login',
      needs: 'open',
      summary: 'Signs a browser in: the form’s field `token`. Leads to the field `next`, or to the first page.',
      async handle(context) {
        const { token, next } = await context.req.parseBody()
        const value = typeof token === 'string' ? await door.signIn(token.trim()) : null
        const isPage = (context.req.header('accept') ?? '').includes('text/html')
        if (value === null && isPage) return context.redirect(again(ownPath(next)), 303)
        if (value === null) throw unknownToken()
        setCookie(context, COOKIE, value, { ...attributes(context), maxAge: SIGN_IN_SECONDS })
        return context.redirect(ownPath(next), 303)
      },
    },
    {
      method: 'POST',
      path: '/logout',
      needs: 'open',
      summary: 'Signs a browser out.',
      async handle(context) {
        const cookie = getCookie(context, COOKIE)
        if (cookie !== undefined) await door.signOut(cookie)
        deleteCookie(context, COOKIE, attributes(context))
        return context.redirect('/login', 303)
      },
    },
  ]
}

/** The form once more, with what was wrong. */
function again(next: string): string {
  return `/login?${new URLSearchParams({ failed: '1', next })}`
}

function attributes({ req }: RequestContext) {
  const secure = new URL(req.url).protocol === 'https:' || req.header('x-forwarded-proto') === 'https'
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const
}

/** A path on this server. Anything else, such as `//other.example`, would lead elsewhere. */
function ownPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[^\\\u0000-\u001F]*$/.test(next) ? next : '/'
}
