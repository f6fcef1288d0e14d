import { z } from 'zod'
import { LIMITS } from '../../model/limits.ts'
import { auditEntrySchema } from '../../model/records.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { endpointsOf } from '../endpoint.ts'
import { numeric } from '../request.ts'
import type { Route, ServerParts } from '../route.ts'

const endpoint = endpointsOf('Access')
const auditQuery = z.strictObject({
  /** A day, or a time in ISO 8601. */
  since: z.string().optional(),
  limit: numeric(z.int().min(1).max(LIMITS.pageLimit)),
  cursor: z.string().max(1024).optional(),
})
const pageSchema = z.strictObject({ entries: z.array(auditEntrySchema), nextCursor: z.string().nullable() })

export function auditRoutes({ memory }: ServerParts): Route[] {
  return [
    endpoint('listAudit', 'GET /api/audit', 'admin', {
      summary: 'Lists what operators did, newest first: who, when, from where and what',
      query: auditQuery,
      answer: [200, 'A page', pageSchema],
      run: ({ query }) => memory.audit(withoutUndefined(query)),
    }),
  ]
}
