import { LIMITS } from '../../model/limits.ts'
import { describeApi } from '../openapi.ts'
import type { Route } from '../route.ts'
import { renderDocs } from './docs-page.ts'

/** The API description, for programs and for people. Generated on the first request. */
export function docsRoutes(api: readonly Route[], version: string, maxContentLength: number): Route[] {
  let description: ReturnType<typeof describeApi> | null = null
  const describe = () => (description ??= withLimit(describeApi(api, version), maxContentLength))
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      needs: 'open',
      summary: 'The description of the API, OpenAPI 3.1',
      handle: (context) => context.json(describe()),
    },
    {
      method: 'GET',
      path: '/docs',
      needs: 'open',
      summary: 'The description of the API as an HTML page',
      handle: (context) => context.html(renderDocs(describe())),
    },
  ]
}

/** The schemas state every store's limits; this server has its own store's. */
function withLimit<Description>(description: Description, maxContentLength: number): Description {
  const any = `"maxLength":${LIMITS.content}`
  return JSON.parse(JSON.stringify(description).replaceAll(any, `"maxLength":${maxContentLength}`)) as Description
}
