import { notThere } from '../../rest/answers.ts'
import type { Route, ServerParts } from '../../route.ts'
import { countOf } from '../format.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'
import { tookOf } from './list-page.tsx'
import { readSession, type SessionDetail } from './read-session.ts'
import { Timeline } from './timeline.tsx'

/** One run. */
export function sessionPageRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/sessions/:id',
      summary: 'One run: what it was shown, and what it left.',
      async handle(view) {
        const id = view.context.req.param('id')!
        const detail = await readSession(view, id)
        if (!detail) throw notThere(`session ${id}`, { session: id })
        return sendPage(view, {
          title: 'A run',
          current: '/sessions',
          children: <SessionPage view={view} detail={detail} />,
        })
      },
    }),
  ]
}

function SessionPage({ view, detail }: { view: View; detail: SessionDetail }) {
  const { session, shown, left } = detail
  const tokens = shown.reduce((sum, each) => sum + each.tokens, 0)
  return (
    <>
      <p class="crumbs">
        <a href={href(view, '/sessions')}>Sessions</a>
      </p>
      <div class="heading">
        <h1>
          <Stored text={session.agent ?? 'A run'} />
          {session.project === null ? (
            ''
          ) : (
            <>
              {' '}
              in <Stored text={session.project} />
            </>
          )}
        </h1>
      </div>
      <div id="results">
        <div class="columns wide-left">
          <section class="card">
            <h2>What happened</h2>
            <Timeline view={view} detail={detail} />
          </section>
          <section class="card">
            <h2>The run</h2>
            <dl class="fields">
              <dt>How it ended</dt>
              <dd>
                <Outcome session={session} />
              </dd>
              <dt>Started</dt>
              <dd>
                <Time at={session.startedAt} now={view.now} />
              </dd>
              <dt>Took</dt>
              <dd>{tookOf(session)}</dd>
              <dt>Agent</dt>
              <dd>
                <Stored text={session.agent ?? '–'} />
              </dd>
              <dt>Project</dt>
              <dd>
                <Stored text={session.project ?? '–'} />
              </dd>
              <dt>Role</dt>
              <dd>
                <Stored text={session.role ?? '–'} />
              </dd>
              <dt>Tier</dt>
              <dd>{session.tier ?? '–'}</dd>
              <dt>Was shown</dt>
              <dd>
                {countOf(shown.length, 'memory', 'memories')}, about {tokens} tokens
              </dd>
              <dt>Left</dt>
              <dd>{left.length}</dd>
              <dt>Id</dt>
              <dd>
                <Stored class="mono" text={session.id} />
              </dd>
            </dl>
          </section>
        </div>
      </div>
    </>
  )
}
