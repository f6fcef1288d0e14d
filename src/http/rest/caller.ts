import { z } from 'zod'
import { identifiersSchema } from '../../model/fields.ts'
import { SCOPES } from '../caller.ts'
import type { Route } from '../route.ts'

const callerSchema = z.strictObject({
  name: z.string(),
  scope: z.enum(SCOPES),
  identifiers: identifiersSchema,
  /** For pages of this server, which send it back as `x-csrf-token`. */
  csrf: z.string(),
})

/** For clients that want to know what their token opens. */
export function callerRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/caller',
      needs: 'read',
      summary: 'Who sends this request, and what the token opens',
      api: {
        operation: 'getCaller',
        tag: 'Access',
        answers: { 200: { description: 'The caller', schema: callerSchema } },
      },
      handle(context) {
        const { name, scope, identifiers, csrf } = context.get('access').caller
        return context.json({ name, scope, identifiers, csrf })
      },
    },
  ]
}
