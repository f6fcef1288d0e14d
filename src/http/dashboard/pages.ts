import { MemoryError } from '../../model/errors.ts'
import type { Need, Route, ServerParts } from '../route.ts'
import { renderFailure } from './failure-page.tsx'
import { type View, viewOf } from './view.ts'

export interface Page extends Pick<Route, 'summary'> {
  /** `/memories`, or `POST /memories`. */
  path: string
  /** Default: read. */
  needs?: Need
  handle(view: View): Response | Promise<Response>
}

/** Routes of pages: each reads through the caller's own view, and a person without access gets a page that says so. */
export function pageRoutes(parts: ServerParts, pages: readonly Page[]): Route[] {
  return pages.map(({ path, summary, needs = 'read', handle }) => ({
    method: path.startsWith('POST ') ? 'POST' : 'GET',
    path: path.replace('POST ', ''),
    needs,
    signedIn: true,
    summary,
    async handle(context) {
      try {
        return await handle(viewOf(context, parts, context.get('access')))
      } catch (error) {
        const isPiece = context.req.header('hx-request') !== undefined
        if (!MemoryError.is(error) || isPiece || path.startsWith('POST ')) throw error
        return renderFailure(context, parts, error)
      }
    },
  }))
}
