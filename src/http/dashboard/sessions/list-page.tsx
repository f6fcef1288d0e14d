import type { Session } from '../../../model/records.ts'
import type { Route, ServerParts } from '../../route.ts'
import { withoutRemoved } from '../demo/demo-data.ts'
import { inUnits } from '../format.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { Empty } from '../parts/empty.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { NextPage } from '../parts/next-page.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

const ROWS = 50

export function sessionListRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/sessions',
      summary: 'The runs.',
      async handle(view) {
        const cursor = view.query('after')
        const { sessions: all, nextCursor } = await view.own.sessions({
          limit: ROWS,
          ...(cursor === undefined ? {} : { cursor }),
        })
        const sessions = await withoutRemoved(view.own, all, ({ id }) => id)
        return sendPage(view, {
          title: 'Sessions',
          current: '/sessions',
          children: (
            <>
              <div class="heading">
                <h1>Sessions</h1>
              </div>
              <div id="results">
                <div class="sheet">
                  {sessions.length === 0 ? <Nothing view={view} /> : <Table view={view} sessions={sessions} />}
                </div>
                <NextPage view={view} path="/sessions" next={nextCursor} />
              </div>
            </>
          ),
        })
      },
    }),
  ]
}

function Table({ view, sessions }: { view: View; sessions: readonly Session[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          {['Run', 'Agent', 'Project', 'How it ended', 'Started', 'Took'].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody data-rows>
        {sessions.map((session) => (
          <tr id={`s-${session.id}`} tabindex={-1} data-version={`${session.endedAt}`}>
            <td class="observation">
              <a data-key="open" href={href(view, `/sessions/${encodeURIComponent(session.id)}`)}>
                <Stored class="mono clamp" text={session.id} />
              </a>
            </td>
            <td class={session.agent === null ? 'name blank' : 'name'} title={session.agent ?? undefined}>
              <Stored text={session.agent ?? '–'} />
              {session.role === null ? null : (
                <span class="soft">
                  {' '}
                  <Stored text={session.role} />
                </span>
              )}
            </td>
            <td class={session.project === null ? 'name blank' : 'name'} title={session.project ?? undefined}>
              <Stored text={session.project ?? '–'} />
            </td>
            <td class="fit">
              <Outcome session={session} />
            </td>
            <td class="when">
              <Time at={session.startedAt} now={view.now} />
            </td>
            <td class={session.endedAt === null ? 'when blank' : 'when'}>{tookOf(session)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function tookOf({ startedAt, endedAt }: Session): string {
  return endedAt === null ? '–' : inUnits(Math.max(0, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000))
}

function Nothing({ view }: { view: View }) {
  return (
    <Empty icon="sessions" title="No agent has run yet">
      <p>Start one with memory, and its run appears here: what it was shown, and what it left behind.</p>
      <code class="command">{view.parts.command} run --agent nori -- claude -p "your task"</code>
    </Empty>
  )
}
