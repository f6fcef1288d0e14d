import type { Route } from '../route.ts'
import { Brand, LonePage, send } from './layout.tsx'

/** The form that makes a token a cookie; the server’s own route takes what it sends. */
export const signInPageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/login',
    needs: 'open',
    summary: 'The form to sign in.',
    handle: (context) =>
      send(
        context,
        <LonePage title="Sign in">
          <p class="brand">
            <Brand />
          </p>
          <form class="card" method="post" action="/login">
            <h1>Sign in</h1>
            {context.req.query('failed') === undefined ? null : (
              <p class="failed" role="alert">
                This token is not valid: it is malformed, unknown or revoked.
              </p>
            )}
            <label class="field">
              Token
              <input
                name="token"
                type="password"
                required
                autocomplete="current-password"
                autofocus
                placeholder="nks_…"
              />
            </label>
            <input type="hidden" name="next" value={context.req.query('next') ?? '/'} />
            <button type="submit" class="primary">
              Sign in
            </button>
            <p class="soft">An operator creates one on the server:</p>
            <code class="command">nokosu token create --name me --scope admin</code>
          </form>
        </LonePage>,
      ),
  },
]
