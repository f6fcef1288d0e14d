import { notThere } from '../../rest/answers.ts'
import { countMemories } from '../format.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Card, Fields } from '../parts/blocks.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { tookOf } from './list-page.tsx'
import { readSession, type SessionDetail } from './read-session.ts'
import { Timeline } from './timeline.tsx'

export const sessionPage: Page = {
  path: '/sessions/:id',
  summary: 'One run: what it was shown, and what it recorded.',
  async handle(view) {
    const id = view.param('id')
    const detail = await readSession(view, id)
    if (!detail) throw notThere(`session ${id}`, { session: id })
    const { agent, project } = detail.session
    const title = `${agent ?? 'A run'}${project === null ? '' : ` in ${project}`}`
    return sendPage(view, {
      title,
      heading: <Stored text={title} />,
      children: (
        <div id="results">
          <div class="columns wide-left">
            <Card title="What happened">
              <Timeline view={view} detail={detail} />
            </Card>
            <Facts detail={detail} />
          </div>
        </div>
      ),
    })
  },
}

function Facts({ detail: { session, shown, left } }: { detail: SessionDetail }) {
  const tokens = shown.reduce((sum, each) => sum + each.tokens, 0)
  return (
    <Card title="The run">
      <Fields
        rows={[
          ['Outcome', <Outcome session={session} />],
          ['Started', <Time at={session.startedAt} />],
          ['Took', tookOf(session)],
          ['Agent', <Stored text={session.agent ?? '–'} />],
          ['Project', <Stored text={session.project ?? '–'} />],
          ['Role', <Stored text={session.role ?? '–'} />],
          ['Tier', String(session.tier ?? '–')],
          ['Was shown', `${countMemories(shown.length)}, about ${tokens} tokens`],
          ['Recorded', String(left.length)],
          ['Id', <Stored class="mono" text={session.id} />],
        ]}
      />
    </Card>
  )
}
