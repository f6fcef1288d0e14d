import type { WorkflowEvent } from '../../model/records.ts'
import type { Route, ServerParts } from '../route.ts'
import { withoutRemoved } from './demo/demo-data.ts'
import { sendPage } from './layout.tsx'
import { pageRoute } from './page-route.ts'
import { Empty } from './parts/empty.tsx'
import { EventText, isWarning } from './parts/event-text.tsx'
import { Time } from './parts/memory-parts.tsx'
import { NextPage } from './parts/next-page.tsx'
import { Stored } from './parts/stored.tsx'
import { href, type View } from './view.ts'

const ROWS = 50

/** What happened in workflows and runs, the latest first. */
export function eventRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/events',
      summary: 'What happened in workflows and runs.',
      async handle(view) {
        const cursor = view.query('after')
        const { events: all, nextCursor } = await view.own.events({
          limit: ROWS,
          ...(cursor === undefined ? {} : { cursor }),
        })
        const events = await withoutRemoved(view.own, all, ({ session }) => session)
        return sendPage(view, {
          title: 'Events',
          current: '/events',
          children: (
            <>
              <div class="heading">
                <h1>Events</h1>
              </div>
              <div id="results">
                <div class="sheet">
                  {events.length === 0 ? <Nothing view={view} /> : <Table view={view} events={events} />}
                </div>
                <NextPage view={view} path="/events" next={nextCursor} />
              </div>
            </>
          ),
        })
      },
    }),
  ]
}

function Table({ view, events }: { view: View; events: readonly WorkflowEvent[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          {['What', 'Details', 'Where', 'Session', 'When'].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody data-rows>
        {events.map((event) => (
          <tr id={`e-${event.id}`} tabindex={-1} data-version="1">
            <td class="fit">
              <span class={isWarning(event) ? 'chip warn' : 'chip category'}>{event.type.replace('_', ' ')}</span>
            </td>
            <td class="observation">
              <EventText event={event} />
            </td>
            <td>
              {Object.entries(event.identifiers).map(([name, value]) => (
                <div>
                  <span class="soft">{name.replace(/Id$/, '')}</span> <Stored text={value} />
                </div>
              ))}
            </td>
            <td class="session">
              {event.session === null ? null : (
                <a data-key="open" href={href(view, `/sessions/${encodeURIComponent(event.session)}`)}>
                  <Stored text={event.session} />
                </a>
              )}
            </td>
            <td class="when">
              <Time at={event.at} now={view.now} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Nothing({ view }: { view: View }) {
  return (
    <Empty icon="events" title="Nothing has happened yet">
      <p>
        Submissions, rejections, approvals and decisions of a workflow appear here, and what runs were shown and left.
      </p>
      <code class="command">{view.parts.command} record hint --project shop "Ask before changing the schema"</code>
    </Empty>
  )
}
