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
      lead: 'What happened in runs and workflows, the latest first.',
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

/** Display names of event types that are not readable as they are. */
const NAMES: Record<string, string> = {
  prompt: 'asked',
  showing: 'shown',
  capture: 'recorded',
  retraction: 'retracted',
}

function EventTable({ view, events }: { view: View; events: readonly WorkflowEvent[] }) {
  return (
    <Table columns={['What', 'Details', 'When']}>
      {events.map((event) => (
        <tr id={`e-${event.id}`} tabindex={-1} data-version="1">
          <td class="fit">
            <span class={isWarning(event) ? 'chip warn' : 'chip category'}>
              {NAMES[event.type] ?? event.type.replace('_', ' ')}
            </span>
          </td>
          <td class="observation">
            <EventText event={event} />
            <div class="about">
              {Object.entries(event.identifiers).map(([name, value]) => (
                <span>
                  {name.replace(/Id$/, '')} <Stored text={value} />
                </span>
              ))}
              {event.session === null ? null : (
                <a data-key="Enter" href={sessionPath(view, event.session)} title={event.session}>
                  view run
                </a>
              )}
            </div>
          </td>
          <td class="when">
            <Time at={event.at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
