import { MemoryError } from '../../model/errors.ts'
import type { Need, Route, ServerParts } from '../route.ts'
import { renderFailure } from './failure-page.tsx'
import { type View, viewOf } from './view.ts'

interface Page extends Pick<Route, 'path' | 'summary'> {
  method?: Route['method']
  needs?: Need
  handle(view: View): Response | Promise<Response>
}

/** A route of the pages: it reads through the caller's own view, and a person who asks for too much gets a page that says so. */
export function pageRoute(parts: ServerParts, page: Page): Route {
  const { method = 'GET', path, summary, needs = 'read' } = page
  return {
    method,
    path,
    needs,
    summary,
    async handle(context) {
      const access = context.get('access')
      try {
        return await page.handle(viewOf(context, parts, access))
      } catch (error) {
        const isPiece = context.req.header('hx-request') !== undefined
        if (!MemoryError.is(error) || isPiece || method !== 'GET') throw error
        return renderFailure(context, parts, error)
      }
    },
  }
}
