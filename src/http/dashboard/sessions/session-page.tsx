import { notThere } from '../../rest/answers.ts'
import { countMemories, formatCount } from '../format.ts'
import { sendPage } from '../layout.tsx'
import { quote } from '../memories/row.tsx'
import type { Page } from '../pages.ts'
import { Card, Fields } from '../parts/blocks.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'
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
    const { prompt, session } = detail.run
    const { agent, project } = session
    const title = prompt ?? `${agent ?? 'A run'}${project === null ? '' : ` in ${project}`}`
    return sendPage(view, {
      title: quote(title),
      heading: <Stored text={title} />,
      children: (
        <div id="results">
          <div class="columns wide-left">
            <Card title="What happened">
              <Timeline view={view} detail={detail} />
            </Card>
            <Facts view={view} detail={detail} />
          </div>
        </div>
      ),
    })
  },
}

function Facts({ view, detail: { run, shown, left } }: { view: View; detail: SessionDetail }) {
  const { session, used, corrected, held, refused } = run
  const tokens = shown.reduce((sum, each) => sum + each.tokens, 0)
  return (
    <Card title="The run">
      <Fields
        rows={[
          ['Outcome', <Outcome session={session} />],
          ['Started', <Time at={session.startedAt} />],
          ['Took', tookOf(session)],
          [
            'Agent',
            session.agent === null ? (
              '–'
            ) : (
              <a href={href(view, `/agents/${encodeURIComponent(session.agent)}`)}>
                <Stored text={session.agent} />
              </a>
            ),
          ],
          ['Project', <Stored text={session.project ?? '–'} />],
          ['Role', <Stored text={session.role ?? '–'} />],
          ['Tier', String(session.tier ?? '–')],
          ['Was shown', `${countMemories(run.shown)}, about ${formatCount(tokens)} tokens`],
          ['Used', run.shown === 0 ? '–' : `${used.length} of ${run.shown}`],
          ['Recorded', String(Math.max(run.recorded, left.length))],
          corrected === 0 ? null : ['Corrected', String(corrected)],
          held === 0 ? null : ['Held for review', String(held)],
          refused === 0 ? null : ['Refused', String(refused)],
          ['Id', <Stored class="mono" text={session.id} />],
        ]}
      />
    </Card>
  )
}
