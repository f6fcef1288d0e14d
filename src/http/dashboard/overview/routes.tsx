import { visibleUntil } from '../../../lifecycle/decay.ts'
import type { Route, ServerParts } from '../../route.ts'
import { countRemoved, demoState } from '../demo/demo-data.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { DAY_MS, tallyOf } from '../tally.ts'
import type { View } from '../view.ts'
import { OverviewPage } from './overview-page.tsx'

const NEWEST = 8
const FADING = 5
/** Days ahead in which what fades is worth a look. */
const AHEAD = 60

export function overviewRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/',
      summary: 'The first page.',
      async handle(view) {
        const [tally, newest, fading, store, health] = await Promise.all([
          tallyOf(view),
          view.own.list({ limit: NEWEST, includeInactive: true }),
          fadingNext(view, FADING),
          storeOf(view),
          parts.memory.healthCheck(),
        ])
        return sendPage(view, {
          title: 'Overview',
          current: '/',
          held: tally.held,
          health,
          children: (
            <OverviewPage
              view={view}
              tally={tally}
              newest={newest.memories}
              fading={fading}
              store={store}
              demo={await demoState(view, tally.memories)}
            />
          ),
        })
      },
    }),
  ]
}

/** What leaves the sight of agents next, with the instant. */
export async function fadingNext({ own, now }: View, limit: number) {
  const { memories } = await own.list({ limit, sort: 'fading' })
  const until = new Date(now.getTime() + AHEAD * DAY_MS).toISOString()
  return memories.map((memory) => ({ memory, at: visibleUntil(memory) })).filter(({ at }) => at < until)
}

/** Only whoever sees everything is told how much that is. */
async function storeOf({ access, project, parts }: View) {
  if (project !== null || !access.may('admin')) return null
  const [{ sessions, sizeBytes }, removed] = await Promise.all([parts.memory.stats(), countRemoved(access.own())])
  return { sessions: sessions - removed, sizeBytes, path: parts.store }
}
