import type { Route, ServerParts } from '../../route.ts'
import { countOf } from '../format.ts'
import { told } from '../memories/told.ts'
import { pageRoute } from '../page-route.ts'
import { loadDemo, removeDemo } from './demo-data.ts'

export function demoRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      method: 'POST',
      path: '/demo/load',
      needs: 'admin',
      summary: 'Loads the data of the demo.',
      async handle({ context, access }) {
        await loadDemo(access.own())
        return context.body(null, 204, told('The demo’s data are loaded.'))
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/demo/remove',
      needs: 'admin',
      summary: 'Removes exactly the data of the demo.',
      async handle({ context, access }) {
        const removed = await removeDemo(access.own())
        return context.body(null, 204, told(`${countOf(removed, 'memory', 'memories')} of the demo removed.`))
      },
    }),
  ]
}
