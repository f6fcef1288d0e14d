import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { identifiersSchema, idSchema } from '../../model/fields.ts'
import type { RequestClaim } from '../access.ts'
import { checked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { claimOnly } from '../request.ts'
import type { Route } from '../route.ts'

const endpoint = endpointsOf('Decisions')

/** The identifiers, which a body may contain if the query does not. */
const bodyClaim = { identifiers: identifiersSchema.optional(), everything: z.literal(true).optional() }

function either(query: RequestClaim, body: RequestClaim): RequestClaim {
  const isGiven = query.everything === true || Object.keys(query.identifiers ?? {}).length > 0
  return isGiven ? query : body
}

export const decisionRoutes: readonly Route[] = [
  endpoint('getDecisions', 'GET /api/memories/:id/decisions', 'read', {
    summary: 'What was decided about a memory, with the reason, the score and both texts',
    query: claimOnly,
    answer: [200, 'The decisions, oldest first, and the resulting state', schemas.decisions.output],
    run: ({ access, claim, param }) => access.byId(claim).decisions(param('id')),
  }),
  endpoint('undoDecision', 'POST /api/memories/:id/undo', 'admin', {
    summary: 'Undoes the last decision about a memory',
    query: claimOnly,
    answer: [200, 'The memory, others that changed with it, and what was undone', schemas.undo.output],
    run: async ({ access, claim, param, once }) => access.byId(claim).undo(param('id'), await once()),
  }),
  endpoint('retractMemory', 'POST /api/memories/:id/retract', 'admin', {
    summary: 'Withdraws a memory that was wrong all along, and tells running sessions that were shown it',
    query: claimOnly,
    body: checked(schemas.retract.input.pick({ why: true }).extend(bodyClaim)),
    answer: [200, 'The memory, the runs that were shown it, and what is held for review', schemas.retract.output],
    run: ({ access, claim, body: { why, ...asked }, param }) =>
      access.byId(either(claim, asked)).retract(param('id'), { why }),
  }),
  endpoint('settleMemories', 'POST /api/memories/:id/settle', 'admin', {
    summary: 'Settles how a memory relates to another: same, both-true, or that it replaces the other',
    query: claimOnly,
    body: checked(schemas.settle.input.pick({ as: true }).extend({ other: idSchema, ...bodyClaim })),
    answer: [200, 'Both memories', schemas.settle.output],
    run: async ({ access, claim, body: { other, as, ...asked }, param, once }) =>
      access.byId(either(claim, asked)).settle([param('id'), other], as, await once()),
  }),
]
