import { z } from 'zod'
import { identifiersSchema } from '../../model/fields.ts'
import { TOKEN_SCOPES } from '../access.ts'
import { endpointsOf } from '../endpoint.ts'
import type { Route } from '../route.ts'

const endpoint = endpointsOf('Access')
const callerSchema = z.strictObject({
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  identifiers: identifiersSchema,
  /** For this server's pages, which send it back as `x-csrf-token`. */
  csrf: z.string(),
})

export const callerRoutes: readonly Route[] = [
  endpoint('getCaller', 'GET /api/caller', 'read', {
    summary: 'The caller of this request, and what the token gives access to',
    answer: [200, 'The caller', callerSchema],
    run({ access: { caller } }) {
      const { name, scope, identifiers, csrf } = caller
      return { name, scope, identifiers, csrf }
    },
  }),
]
