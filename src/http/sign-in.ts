import { readForm } from './body.ts'
import { cookieOf, giveCookie, takeCookie } from './cookie.ts'
import { sendOnward } from './dashboard/sign-in-page.tsx'
import { type Doorkeeper, unknownToken } from './doorkeeper.ts'
import type { Route } from './route.ts'

/** Signing in to the pages: a token becomes a cookie. `GET /login`, the form, is one of the pages. */
export function signInRoutes(door: Doorkeeper): Route[] {
  return [
    {
      method: 'POST',
      path: '/login',
      needs: 'open',
      summary: 'Signs a browser in: the form’s field `token`. Redirects to the field `next`, or to the first page.',
      async handle(context) {
        const { token, next } = await readForm(context)
        const value = typeof token === 'string' ? await door.signIn(token.trim()) : null
        const isPage = (context.req.header('accept') ?? '').includes('text/html')
        if (value === null && isPage) return context.redirect(again(ownPath(next)), 303)
        if (value === null) throw unknownToken()
        giveCookie(context, value)
        return context.redirect(ownPath(next), 303)
      },
    },
    {
      method: 'GET',
      path: '/login/:code',
      needs: 'open',
      summary: 'Signs the operator of this machine in, once: the link that `nokosu serve` prints.',
      async handle(context) {
        const value = door.redeem(context.req.param('code')!)
        if (value !== null) giveCookie(context, value)
        else if ((await door.identify(context).catch(() => null))?.isAnonymous !== false) {
          return context.redirect('/login?failed=link', 303)
        }
        return sendOnward(context)
      },
    },
    {
      method: 'POST',
      path: '/logout',
      needs: 'open',
      summary: 'Signs a browser out.',
      async handle(context) {
        const cookie = cookieOf(context)
        if (cookie !== undefined) await door.signOut(cookie)
        takeCookie(context)
        return context.redirect('/login', 303)
      },
    },
  ]
}

function again(next: string): string {
  return `/login?${new URLSearchParams({ failed: '1', next })}`
}

/** A path on this server. Anything else, such as `//other.example`, would lead elsewhere. */
function ownPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[^\\\u0000-\u001F]*$/.test(next) ? next : '/'
}
