import type { Route, ServerParts } from '../route.ts'
import { renderOverview } from './overview-page.ts'
import { ICON, STYLE } from './style.ts'

/** The pages. */
export function dashboardRoutes({ memory, store, command }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      needs: 'read',
      summary: 'The first page.',
      async handle(context) {
        const own = context.get('access').own()
        const [health, stats, newest, held] = await Promise.all([
          memory.healthCheck(),
          memory.stats(),
          own.list({ limit: 8, includeInactive: true }),
          own.list({ limit: 1, includeInactive: true, trust: ['quarantined'] }),
        ])
        return context.html(
          renderOverview({
            health,
            stats,
            model: memory.embedding.name,
            newest: newest.memories,
            held: held.totalCount,
            store,
            command,
            now: new Date(),
          }),
        )
      },
    },
    {
      method: 'GET',
      path: '/style.css',
      needs: 'open',
      summary: 'The style of the pages.',
      handle: (context) => context.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }),
    },
    {
      method: 'GET',
      path: '/icon.svg',
      needs: 'open',
      summary: 'The icon of the pages.',
      handle: (context) => context.body(ICON, 200, { 'content-type': 'image/svg+xml' }),
    },
  ]
}
