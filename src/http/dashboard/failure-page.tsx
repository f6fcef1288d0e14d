import { MemoryError } from '../../model/errors.ts'
import type { RequestContext, ServerParts } from '../route.ts'
import { LonePage, send } from './layout.tsx'
import { Stored } from './parts/stored.tsx'

export function renderFailure(
  context: RequestContext,
  parts: ServerParts,
  error: MemoryError,
): Response | Promise<Response> {
  if (error.code === 'MISSING_IDENTIFIER') return chooseProject(context, parts)
  const title = error.code === 'MEMORY_NOT_FOUND' ? 'Page not found' : 'That did not work'
  return send(
    context,
    <LonePage title={title}>
      <div class="card">
        <h1>{title}</h1>
        <p>
          <Stored text={error.message} />
        </p>
        <p>
          <a class="button" href="/">
            Go to the overview
          </a>
        </p>
      </div>
    </LonePage>,
    statusOf(error),
  )
}

/** The 404 page for a person; null for a program. */
export function renderNowhere(context: RequestContext, parts: ServerParts): Response | Promise<Response> | null {
  const { method, path } = context.req
  const isPage = method === 'GET' && !path.startsWith('/api/') && context.req.header('accept')?.includes('text/html')
  if (!isPage) return null
  return renderFailure(context, parts, new MemoryError('MEMORY_NOT_FOUND', 'No page has this address.'))
}

function statusOf({ code, retryable }: MemoryError): 400 | 403 | 404 | 409 | 503 {
  if (code === 'MEMORY_NOT_FOUND') return 404
  if (code === 'UNAUTHORIZED') return 403
  if (code === 'CONFLICT') return 409
  return retryable ? 503 : 400
}

/** An unbound token that is not an admin’s can open any project, but only one at a time. */
function chooseProject(context: RequestContext, { project }: ServerParts): Response | Promise<Response> {
  return send(
    context,
    <LonePage title="Choose a project">
      <form class="card" method="get" action={context.req.path}>
        <h1>Which project?</h1>
        <p class="soft">This token opens one project at a time. Name the one that you want to see.</p>
        <label class="field">
          Project
          <input name="project" required value={project ?? ''} autocomplete="off" autofocus />
        </label>
        <button type="submit" class="primary">
          Open it
        </button>
      </form>
    </LonePage>,
    400,
  )
}
