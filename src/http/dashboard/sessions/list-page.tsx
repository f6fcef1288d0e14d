import type { Session } from '../../../model/records.ts'
import { withoutRemoved } from '../demo/demo-data.ts'
import { inUnits } from '../format.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Empty, Pager, Table } from '../parts/blocks.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { pageAfter, sessionPath, type View } from '../view.ts'

export const sessionListPage: Page = {
  path: '/sessions',
  summary: 'The runs.',
  async handle(view) {
    const { sessions: all, nextCursor } = await view.own.sessions(pageAfter(view))
    const sessions = await withoutRemoved(view.own, all, ({ id }) => id)
    return sendPage(view, {
      title: 'Sessions',
      children: (
        <div id="results">
          {sessions.length === 0 ? (
            <Empty
              icon="sessions"
              title="No agent has run yet"
              text="Start one with memory, and its run appears here: what it was shown, and what it recorded."
              command={`${view.parts.command} run --agent nori -- claude -p "your task"`}
            />
          ) : (
            <SessionTable view={view} sessions={sessions} />
          )}
          <Pager view={view} path="/sessions" next={nextCursor} />
        </div>
      ),
    })
  },
}

function SessionTable({ view, sessions }: { view: View; sessions: readonly Session[] }) {
  return (
    <Table columns={['Run', 'Agent', 'Project', 'Outcome', 'Started', 'Took']}>
      {sessions.map((session) => (
        <tr id={`s-${session.id}`} tabindex={-1} data-version={`${session.endedAt}`}>
          <td class="observation">
            <a data-key="Enter" href={sessionPath(view, session.id)}>
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
            <Time at={session.startedAt} />
          </td>
          <td class={session.endedAt === null ? 'when blank' : 'when'}>{tookOf(session)}</td>
        </tr>
      ))}
    </Table>
  )
}

export function tookOf({ startedAt, endedAt }: Session): string {
  return endedAt === null ? '–' : inUnits(Math.max(0, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000))
}
