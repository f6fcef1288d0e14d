import type { RequestContext, Route, ServerParts } from '../route.ts'
import { LonePage, send } from './layout.tsx'
import { Brand } from './sidebar.tsx'

const FAILED: Record<string, string> = {
  link: 'This link has been used, or was made before the server started. Restart nokosu serve for a new one, or give the key.',
  '1': 'This token is not valid: it is malformed, unknown or revoked.',
}

/** The form that exchanges a token for a cookie. The sign-in route handles it. */
export function signInPageRoutes({ operatorKeyFile, command }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/login',
      needs: 'open',
      summary: 'The form to sign in.',
      handle(context) {
        const failed = context.req.query('failed')
        return send(
          context,
          <LonePage title="Sign in">
            <p class="brand">
              <Brand />
            </p>
            <form class="card" method="post" action="/login">
              <h1>Sign in</h1>
              {failed === undefined ? null : (
                <p class="failed" role="alert">
                  {FAILED[failed] ?? FAILED['1']}
                </p>
              )}
              <label class="field">
                {operatorKeyFile === undefined ? 'Token' : 'Key or token'}
                <input
                  name="token"
                  type="password"
                  required
                  autocomplete="current-password"
                  autofocus
                  placeholder={operatorKeyFile === undefined ? 'nks_…' : 'nko_…'}
                />
              </label>
              <input type="hidden" name="next" value={context.req.query('next') ?? '/'} />
              <button type="submit" class="primary">
                Sign in
              </button>
              {operatorKeyFile === undefined ? (
                <>
                  <p class="soft">An operator creates one on the server:</p>
                  <code class="command">{command} token create --name me --scope admin</code>
                </>
              ) : (
                <>
                  <p class="soft">
                    Open the link that <code>{command} serve</code> printed when it started, or paste the key it keeps
                    beside the store:
                  </p>
                  <code class="command">cat {operatorKeyFile}</code>
                </>
              )}
            </form>
          </LonePage>,
        )
      },
    },
  ]
}

/**
 * Continues to the dashboard. A redirect would not work: if a file or another program opened the link, the browser treats it as cross-site
 * and withholds the new cookie.
 */
export function sendOnward(context: RequestContext): Response | Promise<Response> {
  return send(
    context,
    <LonePage title="Signed in">
      <meta http-equiv="refresh" content="0; url=/" />
      <p class="brand">
        <Brand />
      </p>
      <p>
        You are signed in. <a href="/">Continue</a>
      </p>
    </LonePage>,
  )
}
