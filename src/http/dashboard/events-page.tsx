import type { WorkflowEvent } from '../../model/records.ts'
import { withoutRemoved } from './demo/demo-data.ts'
import { sendPage } from './layout.tsx'
import type { Page } from './pages.ts'
import { Empty, Pager, Table } from './parts/blocks.tsx'
import { EventText, isWarning } from './parts/event-text.tsx'
import { Time } from './parts/memory-parts.tsx'
import { Stored } from './parts/stored.tsx'
import { pageAfter, sessionPath, type View } from './view.ts'

export const eventPage: Page = {
  path: '/events',
  summary: 'What happened in workflows and runs.',
  async handle(view) {
    const { events: all, nextCursor } = await view.own.events(pageAfter(view))
    const events = await withoutRemoved(view.own, all, ({ session }) => session)
    return sendPage(view, {
      title: 'Events',
      children: (
        <div id="results">
          {events.length === 0 ? (
            <Empty
              icon="events"
              title="Nothing has happened yet"
              text="Submissions, rejections, approvals and decisions appear here, and what runs were shown and recorded."
              command={`${view.parts.command} record hint --project shop "Ask before changing the schema"`}
            />
          ) : (
            <EventTable view={view} events={events} />
          )}
          <Pager view={view} path="/events" next={nextCursor} />
        </div>
      ),
    })
  },
}

function EventTable({ view, events }: { view: View; events: readonly WorkflowEvent[] }) {
  return (
    <Table columns={['What', 'Details', 'Where', 'Session', 'When']}>
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
              <a data-key="Enter" href={sessionPath(view, event.session)}>
                <Stored text={event.session} />
              </a>
            )}
          </td>
          <td class="when">
            <Time at={event.at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
