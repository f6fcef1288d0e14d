import type { z } from 'zod'
import type { IdentifierName } from '../model/layer.ts'
import type { Access, RequestClaim } from './access.ts'
import type { BodyReader } from './body.ts'
import { readQuery, repeatable, splitClaim } from './request.ts'
import type { Need, RequestContext, Route } from './route.ts'

interface Call<Query, Body> {
  context: RequestContext
  access: Access
  claim: RequestClaim
  query: Omit<Query, IdentifierName | 'everything'>
  body: Body
  param(name: string): string
  /** The options that make a request repeatable: see `Idempotency-Key`. */
  once(): Promise<{ key?: string }>
}

interface Endpoint<Query extends z.ZodObject, Body> extends Pick<Route, 'summary' | 'maxBody'> {
  query?: Query
  body?: BodyReader<Body>
  /** A null schema: no content. */
  answer: [status: 200 | 201 | 204, description: string, schema: z.ZodType | null]
  run(call: Call<z.output<Query>, Body>): unknown
}

/**
 * Declares endpoints of the API under one tag: the name for generated clients, method and path, required scope, and the rest.
 * The API description is generated from these declarations.
 */
export function endpointsOf(tag: string) {
  return <Query extends z.ZodObject, Body = undefined>(
    operation: string,
    where: `${Route['method']} /${string}`,
    needs: Need,
    endpoint: Endpoint<Query, Body>,
  ): Route => {
    const { summary, maxBody, query, body, answer, run } = endpoint
    const [method, path] = where.split(' ') as [Route['method'], string]
    const [status, description, schema] = answer
    return {
      method,
      path,
      needs,
      summary,
      ...(maxBody === undefined ? {} : { maxBody }),
      api: {
        operation,
        tag,
        ...(query ? { query } : {}),
        ...(body ? { body: body.schema } : {}),
        answers: { [status]: { description, schema } },
      },
      async handle(context) {
        const { claim, rest } = splitClaim((query ? readQuery(context, query) : {}) as z.output<Query>)
        const found = await run({
          context,
          access: context.get('access'),
          claim,
          query: rest,
          body: (await body?.read(context)) as Body,
          param: (name) => context.req.param(name)!,
          once: () => repeatable(context),
        })
        return status === 204 ? context.body(null, status) : context.json(found as object, status)
      },
    }
  }
}
