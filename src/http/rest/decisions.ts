import { schemas } from '../../engine/schemas.ts'
import { checked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { claimOnly } from '../request.ts'
import type { Route } from '../route.ts'

const endpoint = endpointsOf('Decisions')

/** What was decided about memories, and what an operator does about it. */
export const decisionRoutes: readonly Route[] = [
  endpoint('getDecisions', 'GET /api/memories/:id/decisions', 'read', {
    summary: 'What was decided about a memory, with the reason, the score and both texts',
    query: claimOnly,
    answer: [200, 'The decisions, oldest first, and what they come to', schemas.decisions.output],
    run: ({ access, claim, param }) => access.byId(claim).decisions(param('id')),
  }),
  endpoint('undoDecision', 'POST /api/memories/:id/undo', 'admin', {
    summary: 'Takes back the last decision about a memory',
    query: claimOnly,
    answer: [200, 'The memory, others that changed with it, and what was undone', schemas.undo.output],
    run: async ({ access, claim, param, once }) => access.byId(claim).undo(param('id'), await once()),
  }),
  endpoint('retractMemory', 'POST /api/memories/:id/retract', 'admin', {
    summary: 'Withdraws a memory that was wrong all along, and tells running sessions that were shown it',
    query: claimOnly,
    body: checked(schemas.retract.input.pick({ why: true })),
    answer: [200, 'The memory, the runs that were shown it, and what waits for review', schemas.retract.output],
    run: ({ access, claim, body, param }) => access.byId(claim).retract(param('id'), body),
  }),
  endpoint('settleMemories', 'POST /api/memories/settle', 'admin', {
    summary: 'Says how two memories stand to each other: same, both-true, or that the first replaces the second',
    query: claimOnly,
    body: checked(schemas.settle.input.pick({ ids: true, as: true })),
    answer: [200, 'Both memories', schemas.settle.output],
    run: async ({ access, claim, body: { ids, as }, once }) => access.byId(claim).settle(ids, as, await once()),
  }),
]
